/** What was pasted: addresses, each once, and what cannot be invited, with why. */
export type Pasted = { good: string[]; wrong: { text: string; why: 'form' | 'invited' }[] }

/** Reads addresses from lines, lists and what mail programs copy: `Ada Lovelace <ada@example.org>`. */
export function readAddresses(pasted: string, invited: ReadonlySet<string>): Pasted {
  const seen = new Set<string>()
  const read: Pasted = { good: [], wrong: [] }
  for (const text of pasted.split(/[\r\n]+/).flatMap(entriesOf)) {
    if (seen.has(text.toLowerCase())) continue
    seen.add(text.toLowerCase())
    if (!isAddress(text)) read.wrong.push({ text, why: 'form' })
    else if (invited.has(text.toLowerCase())) read.wrong.push({ text, why: 'invited' })
    else read.good.push(text)
  }
  return read
}

/** In a line with names, what is no address and stands in no brackets is part of a name. */
function entriesOf(line: string): string[] {
  const bracketed: string[] = []
  const rest = line.replace(/<([^<>]*)>/g, (_, address: string) => {
    bracketed.push(address.trim())
    return ','
  })
  const others = rest.split(/[\s,;"]+/).filter((part) => (bracketed.length > 0 ? part.includes('@') : part))
  return [...bracketed, ...others]
}

/** The browser knows the form that the service asks for (HTML, section 4.10.5.1.5). */
function isAddress(text: string): boolean {
  field.value = text
  return field.checkValidity()
}
const field = Object.assign(document.createElement('input'), { type: 'email', required: true })
