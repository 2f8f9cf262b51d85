/** The same text but for its first character, whichever that is: what a caller made up. */
export function forged(text: string): string {
  return (text.startsWith('x') ? 'y' : 'x') + text.slice(1)
}
