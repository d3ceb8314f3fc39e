import { expect, test } from "bun:test"
import { hiddenCharacter } from "@vigil/schema/text"
import fc from "fast-check"
import { evaluate, matches } from "../../src/permission/rule.ts"
import { scan as scanIn } from "../../src/shell/command.ts"

const scan = (command: string) =>
  scanIn(command, {
    directory: "/work/project",
    home: "/home/ada",
    isDirectory: (path) => ["/etc", "/usr", "/work", "/home/ada"].includes(path)
  })
const values = (command: string) => scan(command).subjects.map(({ value }) => value)
const pattern = (command: string) => scan(command).subjects[0]!.pattern
const directories = (command: string) => [...scan(command).directories].toSorted()

/** A command line, and what must be asked for. */
const parts: ReadonlyArray<readonly [command: string, ...expected: ReadonlyArray<string>]> = [
  ["ls -l", "ls -l"],
  ["a && b || c; d & e", "a", "b", "c", "d", "e"],
  ["a | b |& c", "a", "b", "c"],
  ["a\nb\n\nc", "a", "b", "c"],
  ["! time a", "a"],
  ["(a; b) && { c; }", "a", "b", "c"],
  ["echo $(a $(b))", "echo $(a $(b))", "a $(b)", "b"],
  ["echo \"x $(a 'y')\"", "echo \"x $(a 'y')\"", "a y"],
  ["echo `a \\`b\\``", "echo `a \\`b\\``", "a `b`", "b"],
  ["diff <(a) >(b)", "diff <(a) >(b)", "a", "b"],
  ["echo $((1 + $(a)))", "echo $((1 + $(a)))", "a"],
  ["(( x[$(a)] = `b` ))", "a", "b"],
  ["[[ -f $(a) && ! -d `b` ]]", "a", "b"],
  ["cat <<END\n$(a)\n`b`\nEND\nc", "cat", "a", "b", "c"],
  ["cat <<'END'\n$(a)\nEND\nc", "cat", "c"],
  ["cat <<-END\n\t$(a)\n\tEND", "cat", "a"],
  ["cat <<< $(a)", "cat", "a"],
  ["f() { a; }; function g { b; }; f", "a", "b", "f"],
  ["if a; then b; elif c; then d; else e; fi", "a", "b", "c", "d", "e"],
  ["for x in $(a); do b $x; done", "a", "b $x"],
  ["for ((i = $(a); i < 1; i++)); do b; done", "a", "b"],
  ["while a; do b; done; until c; do d; done", "a", "b", "c", "d"],
  ["select x in $(a); do b; done", "a", "b"],
  ["case $(a) in $(b)) c ;; *) d ;; esac", "a", "b", "c", "d"],
  ["coproc a", "a"],
  ["echo ${x:-$(a)} ${x/y/$(b)} ${x:$(c)} ${x[$(d)]}", "a", "b", "c", "d"],
  ["echo {1,$(a)}", "a"],
  ["a > $(b)", "a", "b", "> $(b)"],
  ["x=$(a) y=(1 $(b))", "x=$(a) y=(1 $(b))", "a", "b"],
  ["declare x=$(a)", "declare x=$(a)", "a"],
  ["git \\\n  push", "git push"],
  ["a # b; c", "a"],
  ["echo '# $(a); b'", "echo '# $(a); b'"],
  ["echo \\$(a)", "echo \\$"],
  ["größe 文件", "größe 文件"],
  ["!(a)", "a"],
  ["echo $((a); b)", "a", "b"],
  ["echo $((a) | b)", "a", "b"],
  ["((a); b)", "a", "b"]
]

for (const [command, ...expected] of parts) {
  test(`finds what runs in ${JSON.stringify(command)}`, () => {
    expect(values(command)).toEqual(expect.arrayContaining([...expected]))
  })
}

test("finds nothing that does not run", () => {
  expect(values("cat <<'END'\n$(a)\nEND")).toEqual(["cat"])
  expect(values("echo '$(a)' '`b`' \\`c\\`")).toEqual(["echo '$(a)' '`b`' \\`c\\`"])
  expect(values("a # b; c")).toEqual(["a"])
})

test("quotes do not hide a command from its rule", () => {
  for (const command of [
    "rm -rf x",
    "'rm' -rf x",
    "r\\m -rf x",
    `r""m "-rf" x`,
    "$'\\x72m' -rf x",
    "r\\\nm -rf x"
  ]) {
    expect(values(command)).toEqual(["rm -rf x"])
  }
})

test("quotes that matter stay", () => {
  expect(values(`git commit -m "a; b"`)).toEqual([`git commit -m "a; b"`])
  expect(values("rm '*'")).toEqual(["rm '*'"])
})

test("commands that run others are asked for with what they run", () => {
  const cases: ReadonlyArray<readonly [string, string]> = [
    ["sudo -u root rm x", "rm x"],
    ["env A=1 -u B rm x", "rm x"],
    ["env -S 'rm x'", "rm x"],
    ["nohup timeout -k 1 5 rm x", "rm x"],
    ["/usr/bin/env rm x", "rm x"],
    ["ls | xargs -n 1 rm x", "rm x"],
    ["command rm x", "rm x"],
    ["exec -a name rm x", "rm x"],
    ["bash -c 'rm x'", "rm x"],
    [`sh -ec "ls; rm x"`, "rm x"],
    [`eval rm x`, "rm x"],
    [`eval "ls; $'rm' x"`, `rm x`],
    ["bash -c 'bash -c \"rm x\"'", "rm x"],
    ["trap 'rm x' EXIT", "rm x"],
    ["find . -name y -exec rm x \\;", "rm x"],
    ["find . -exec ls {} + -execdir rm x ';'", "rm x"],
    ["A=1 rm x", "rm x"]
  ]
  for (const [command, inner] of cases) {
    expect(values(command)).toContain(inner)
    for (const { value, pattern } of scan(command).subjects) {
      if (/^(sudo|env|nohup|bash|sh|eval|trap|exec|command|A=1|\/usr)/u.test(value)) {
        expect(matches(pattern, value)).toBe(true)
        expect(matches(pattern, `${value} more`)).toBe(false)
      }
    }
  }
})

test("tests and builtins that evaluate quoted subscripts do not hide a command", () => {
  expect(values("[[ 'a[$(rm x)]' -eq 1 ]]")).toContain("rm x")
  expect(values("printf -v 'a[`rm x`]' y")).toContain("rm x")
  expect(values("test -v 'a[$(rm x)]'")).toContain("rm x")
})

test("what can't be parsed is asked for whole, besides its parts", () => {
  for (const command of [
    "git status; rm x; (",
    "echo 'open",
    "if a",
    "a ))",
    "echo $(a",
    "case x in",
    "{ rm x"
  ]) {
    const { subjects, whole } = scan(command)
    expect(whole).toBe(true)
    expect(subjects.at(-1)).toMatchObject({ value: command, exact: true })
  }
  const { subjects } = scan("git status\nrm x\n(")
  const allowed = [{ action: "shell" as const, pattern: "git *", effect: "allow" as const }]
  expect(evaluate(allowed, subjects.at(-1)!).effect).toBe("ask")
})

test("an interpreter that reads its program from a pipe is asked for with the whole line", () => {
  for (const command of [
    "curl x | sh",
    "cat x | bash -s",
    "bash < x",
    "sudo sh <<< 'rm x'",
    "cat x | python3 -"
  ]) {
    expect(values(command)).toContain(command)
  }
  expect(scan("bash run.sh").whole).toBe(false)
})

test("hidden characters are not taken apart", () => {
  for (const char of ["\u001b", "\u202e", "\u0000", "\r", "\u2066"]) {
    expect(scan(`ls ${char} rm`)).toMatchObject({ whole: true, directories: [] })
  }
})

test("a line that runs no simple command is still asked for", () => {
  for (const command of ["", "# nothing", "(( 1 ))", "[[ -f x ]]", "x=1", "> x"]) {
    expect(scan(command).subjects.length).toBe(1)
  }
})

test("a file that a redirection writes is asked for as itself", () => {
  expect(values("echo a > b")).toEqual(["> b", "echo a"].toReversed())
  expect(values("{ a; } >> c")).toEqual(["a", "> c"])
  expect(values("a &> c")).toContain("> c")
  expect(values("a >| $x")).toContain("> $x")
  expect(values("a 2>&1 >/dev/null <in <&- 2>&-")).toEqual(["a"])
})

test("suggests what would be asked for again, and no more", () => {
  expect(pattern("ls -l")).toBe("ls *")
  expect(pattern("git status -s")).toBe("git status *")
  expect(pattern("git status")).toBe("git status *")
  expect(pattern("npm run build -- --watch")).toBe("npm run build *")
  expect(pattern("npm test")).toBe("npm test *")
  expect(pattern("python3 -m pytest -x")).toBe("python3 -m pytest *")
  expect(pattern("./check.sh a")).toBe("./check.sh *")
  // Exact, where what is done is not said by the first words.
  expect(pattern("git -C /tmp status")).toBe("git -C /tmp status")
  expect(pattern("git $x")).toBe("git $x")
  expect(pattern("npm")).toBe("npm")
  expect(pattern("node -e 1")).toBe("node -e 1")
  expect(pattern("rm -rf 'a*'")).toBe("rm -rf 'a\\*'")
  expect(pattern("x=1")).toBe("x=1")
})

test("a command that is not known before it runs is asked for exactly", () => {
  for (const command of ["$CMD x", "$(a) x", "`a` x", "{rm,-rf,x}", "r* x", `"$@"`, "${x:-rm} y"]) {
    const subject = scan(command).subjects.find(({ exact }) => exact)
    expect(subject?.value).toBe(command)
  }
})

test("what find deletes or runs is not covered by a pattern for find", () => {
  expect(scan("find . -delete").subjects[0]!.exact).toBe(true)
  expect(scan("find . -name x").subjects[0]!).toMatchObject({ pattern: "find . -name x" })
})

test("no suggestion is a bare star, and each covers what it is for", () => {
  for (const [command] of parts) {
    for (const { value, pattern } of scan(command).subjects) {
      expect(pattern).not.toMatch(/^\**$/u)
      expect(matches(pattern, value)).toBe(true)
    }
  }
})

test("names directories outside the session's", () => {
  const cases: ReadonlyArray<readonly [string, ReadonlyArray<string>]> = [
    ["cat /etc/passwd", ["/etc"]],
    ["ls /etc", ["/etc"]],
    ["ls /etc/", ["/etc"]],
    ["cat '/etc'/pass\\wd", ["/etc"]],
    ["cat ~/.ssh/id", ["/home/ada/.ssh"]],
    ["cat $HOME/x ${HOME}/y", ["/home/ada"]],
    ["cat ~root/x", ["/home/root"]],
    ["cat ../x", ["/work"]],
    ["cat src/../../x", ["/work"]],
    ["cat src/../x ./y /work/project/z", []],
    ["cat /work/project-two/z", ["/work/project-two"]],
    ["cat /etc/*.conf /var/$x/y", ["/etc", "/var"]],
    ["cat {/etc,/usr}/x", ["/etc", "/usr"]],
    ["tar --file=/var/x -C/opt/", ["/opt", "/var"]],
    ["dd if=/var/x", ["/var"]],
    ["echo x > /var/y", ["/var"]],
    ["a < /var/y", ["/var"]],
    ["{ a; } > /var/y", ["/var"]],
    ["echo $(cat /var/x)", ["/var"]],
    ["bash -c 'cat /var/x'", ["/var"]],
    ["for f in /var/x; do a; done", ["/var"]],
    ["f=/var/x", ["/var"]],
    ["cd", ["/home/ada"]],
    ["cd /var", ["/var"]],
    ["cd ..", ["/work"]],
    ["a > /dev/null 2> /dev/stderr", []],
    ["curl https://example.com/a/b", []],
    ["sed -n '/a/p' x; grep /b y; echo /c", []],
    ["grep -e x /var/y", ["/var"]]
  ]
  for (const [command, expected] of cases)
    expect([command, directories(command)]).toEqual([command, [...expected]])
})

test("relative paths are seen from where cd led, and from where a cd that failed would leave them", () => {
  expect(directories("cd sub && cat ../x")).toEqual([])
  expect(directories("cd sub && cat ../../x")).toEqual(["/work"])
  expect(directories("cd sub; cat ../x")).toEqual(["/work"])
  expect(directories("cd sub || cat ../x")).toEqual(["/work"])
  expect(directories("cd sub && ls; cat ../x")).toEqual(["/work"])
  expect(directories("cd sub && cd .. && cat ../x")).toEqual(["/work"])
})

test("a directory that can't be known makes cd exact", () => {
  expect(pattern(`cd "$x"`)).toBe(`cd "$x"`)
  expect(pattern("cd sub")).toBe("cd *")
})

const simple = fc.constantFrom("ls -l", "git status", "npm test", "cat a.txt", "rm -rf b", "make")
const separator = fc.constantFrom(" && ", " || ", " ; ", " | ", " |& ", " & ", "\n", " &&\n", ";\\\n")
const around = fc.constantFrom(
  (text: string) => text,
  (text: string) => `echo $( ${text} )`,
  (text: string) => `( ${text} )`,
  (text: string) => `{ ${text}\n}`,
  (text: string) => `if ${text}\nthen x; fi`,
  (text: string) => `cat <(${text})`,
  (text: string) => `cat <<END${text.length}\n$( ${text} )\nEND${text.length}\n`,
  (text: string) => `f() { ${text}\n}`,
  (text: string) => `echo "a $( ${text} ) b"`,
  (text: string) => `[[ -n $( ${text} ) ]]`
)

test("however known commands are joined and nested, all of them are asked for", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(simple, separator), { minLength: 1, maxLength: 6 }),
      fc.array(around, { maxLength: 3 }),
      (pieces, nest) => {
        const joined = pieces
          .map(([command], index) => (index ? pieces[index - 1]![1] : "") + command)
          .join("")
        const { subjects, whole } = scan(nest.reduce((text, wrap) => wrap(text), joined))
        const found = new Set(subjects.map(({ value }) => value))
        return !whole && pieces.every(([command]) => found.has(command))
      }
    ),
    { numRuns: 300 }
  )
})

const tokens = fc.constantFrom(
  ..."$( ) ` ' \" \\ { } [[ ]] (( )) << EOF | & ; \n # if then fi case esac ${ <( a b= * ~ / .. é 😀".split(
    " "
  )
)

test("never throws, and never has nothing to ask", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.array(tokens, { maxLength: 40 }).map((all) => all.join(" "))
  )
  fc.assert(
    fc.property(text, (command) => {
      const { subjects, whole } = scan(command)
      return subjects.length > 0 && (whole || !hiddenCharacter.test(command))
    }),
    { numRuns: 500 }
  )
})

test("what is nested or long beyond reason is asked for whole, soon", () => {
  for (const command of [
    "$(".repeat(4_000),
    `echo ${"$(".repeat(1_000)}a${")".repeat(1_000)}`,
    `echo $((${"1+".repeat(4_000)}1))`,
    "a;".repeat(4_000),
    "cd a && ".repeat(1_000) + "ls",
    "x".repeat(100_000)
  ]) {
    expect(scan(command).subjects.length).toBeGreaterThan(0)
  }
  expect(scan("x".repeat(100_000)).whole).toBe(true)
  expect(scan(`echo ${"$(".repeat(1_000)}a${")".repeat(1_000)}`).whole).toBe(true)
})
