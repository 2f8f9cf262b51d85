/**
 * The spelling a name is looked up by, or undefined when it has none: Unicode NFKC, trimmed (contract section 1, identity
 * of a name; the directory compares without case). slapd prepares strings before it compares them (RFC 4518): signs
 * that nobody sees would vanish, and such a name slip past what is keyed by the plain spelling.
 */
export function plainName(text: string): string | undefined {
  const name = text.normalize('NFKC').trim()
  return name === '' || /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(name) ? undefined : name
}

/** True for names that are spelled as they are looked up. */
export function isPlainName(text: string): boolean {
  return plainName(text) === text
}

export function sameName(a: string, b: string): boolean {
  return plainName(a)?.toLowerCase() === plainName(b)?.toLowerCase()
}
