import { fold } from './names.ts'

/** Whether texts hold every word that is searched for, in whatever order; case and accents do not count. */
export function finder(q = ''): (...texts: readonly (string | null | undefined)[]) => boolean {
  const words = fold(q).split(/\s+/).filter(Boolean)
  return (...texts) => {
    const all = fold(texts.join('\n'))
    return words.every((word) => all.includes(word))
  }
}
