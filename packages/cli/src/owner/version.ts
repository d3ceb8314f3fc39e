/** Whether two versions of Vigil can speak to each other: those of one major version do. Pure. */

/** What can't be read as a version is another one. */
export const sameMajor = (one: string, other: string): boolean =>
  major(one) !== undefined && major(one) === major(other)

const major = (text: string) => /^(\d+)\./u.exec(text)?.[1]
