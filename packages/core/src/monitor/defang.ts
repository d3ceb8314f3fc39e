/** Text that somebody else wrote, made unable to pass for a label or a tag of ours. */

/**
 * Characters that look like an ASCII one and that Unicode does not decompose to it. `i` stands for `l` and `1` too:
 * what is compared is folded alike. Upper case has rows of its own where its shape is another letter's.
 */
const lookAlikes: Record<string, string> = {
  "<": "˂ᐸ〈⟨❬❮❰⧼≺≪⟪《𝈶",
  "[": "⁅❲〔【⟦〚⦋⦍⦏「『",
  "]": "⁆❳〕】⟧〛⦌⦎⦐」』",
  "/": "⁄∕⧸╱⟋𝈺",
  "'": "‘’‚‛′‵ʹʻʼʽˈꞌ՚׳᾿`´",
  '"': "“”„‟″‶ʺ˝״",
  a: "аАαΑɑᴀᎪ⍺",
  b: "ЬьвВΒβʙᏏᏴ",
  c: "сСϲϹᴄᏟ",
  d: "ԁԀᴅᎠժ",
  e: "еЕєεΕҽᴇᎬ℮",
  g: "ɡɢցԌᏀǥ",
  i: "іІιΙıɪӏӀʟᛁᎥᏆᏞ1|!ǀ∣ⵏ",
  k: "кКκΚᴋᏦ",
  m: "мМΜᴍᎷ",
  n: "пηΝɴոռ",
  o: "оОοΟσօᴏ0",
  r: "гᴦʀᏒᎡ",
  s: "ѕЅꜱʂ5$ᏚՏ",
  t: "тТτΤᴛᎢ",
  u: "υսᴜμцՍ∪",
  v: "νѵѴᴠᏙ∨",
  y: "уУγүҮʏΥᎩ"
}

const asciiOf = new Map(
  Object.entries(lookAlikes).flatMap(([ascii, others]) =>
    Array.from(others, (other) => [other, ascii] as const)
  )
)

/** Letters in circles, in squares, and as flags, that have no decomposition: where each alphabet begins. */
const alphabets = [0x1_f150, 0x1_f170, 0x1_f1e6]

/** Not seen, or seen only on another character. */
const unseen = /[\p{Default_Ignorable_Code_Point}\p{M}\p{Cf}\p{Cs}\p{Cn}]/gu
const blank = /[\s\u2800]/u

const lookUp = (character: string): string => {
  const code = character.codePointAt(0)!
  const start = alphabets.find((start) => code >= start && code < start + 26)
  if (start !== undefined) return String.fromCharCode(0x61 + code - start)
  return asciiOf.get(character) ?? character
}

/** What a reader takes a character for, in lower case. Empty if it is not seen. */
const foldCharacter = (character: string): string => {
  if (blank.test(character)) return " "
  const folded = Array.from(lookUp(character).normalize("NFKD").replace(unseen, ""), (part) => {
    const lower = lookUp(lookUp(part).toLowerCase())
    return lower === "l" ? "i" : lower
  })
  return folded.join("")
}

const known = new Map<string, string>()

/** `foldCharacter`, remembered for the characters that text is mostly made of. */
export const fold = (character: string): string => {
  const before = known.get(character)
  if (before !== undefined) return before
  const folded = foldCharacter(character)
  if (character < "\u0800") known.set(character, folded)
  return folded
}

/** `rn` reads as `m`. */
const tag = /<(?=[ /\\]*(?:syste(?:m|rn)|untrusted|vigii))/g
const label = /\[(?= *background *event)/g

/** Whether anything is there that could look like `<` or `[`: most text has neither. */
const suspicious = /[<[\u0080-\u{10ffff}]/u

/**
 * `[background event` becomes `(background event`, and `<` before `system`, `untrusted` and `vigil`, also closing,
 * becomes `‹`. Case does not matter, nor do white space and slashes in between, characters that are not seen, and
 * such as look alike. Tag characters, which spell invisible ASCII, are removed. Twice is the same as once.
 */
export const defang = (text: string): string => {
  if (!suspicious.test(text)) return text
  const characters = Array.from(text.replace(/[\u{e0000}-\u{e007f}]/gu, ""))
  // Where each folded code unit comes from.
  const origin: Array<number> = []
  let folded = ""
  for (const [index, character] of characters.entries()) {
    const part = fold(character)
    for (let i = 0; i < part.length; i++) origin.push(index)
    folded += part
  }
  for (const { index } of folded.matchAll(tag)) characters[origin[index]!] = "‹"
  for (const { index } of folded.matchAll(label)) characters[origin[index]!] = "("
  return characters.join("")
}
