/** An entry of somebody else's directory: `at` says where it stands, `values` are by names in lower case. */
export type ForeignEntry = {
  at: string
  dn: string
  values: Map<string, string[]>
  /** What is wrong with a value, by the name of its attribute. */
  faults: Map<string, string>
  /** What is wrong with the whole. */
  fault?: string
}

/** Characters of one value; more is dropped, and said. */
const longestValue = 1024 * 1024
const longestRecord = 64 * longestValue

/**
 * Content records of an LDIF file (RFC 2849), one by one, never more than one in memory: folded lines, base64, comments,
 * `version:`. Values behind a URL are not fetched. What is wrong with a record stands in it, and the next one is read.
 */
export async function* readLdif(chunks: AsyncIterable<string>): AsyncGenerator<ForeignEntry> {
  let record: ForeignEntry | undefined
  let line = ''
  let size = 0
  const take = (): void => {
    if (line !== '' && !line.startsWith('#')) record = takeLine(record, line, started)
    line = ''
  }
  let started = 0
  let number = 0
  for await (const physical of linesOf(chunks)) {
    number++
    if (physical.startsWith(' ')) {
      if (line.length <= 2 * longestValue) line += physical.slice(1)
      continue
    }
    take()
    started = number
    line = physical
    size = physical === '' ? 0 : size + physical.length
    if (size > longestRecord && record) record.fault ??= 'is too long'
    if (physical !== '') continue
    if (record) yield record
    record = undefined
  }
  take()
  if (record) yield record
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function takeLine(before: ForeignEntry | undefined, line: string, number: number): ForeignEntry | undefined {
  const [, name = '', options, mark = '', raw = ''] =
    /^([A-Za-z0-9][A-Za-z0-9.-]*)(;[A-Za-z0-9;-]*)?:([:<]?) *(.*)$/s.exec(line) ?? []
  const type = name.toLowerCase()
  if (!before && type === 'version')
    return raw.trim() === '1' ? undefined : broken(number, 'is of another version')
  const entry: ForeignEntry = before ?? { at: `line ${number}`, dn: '', values: new Map(), faults: new Map() }
  if (entry.fault) return entry
  if (name === '') entry.fault = `holds a line that is none of LDIF (line ${number})`
  else if ((before === undefined) !== (type === 'dn')) entry.fault = 'does not begin with one dn'
  else if (type === 'changetype' || type === 'control') entry.fault = 'is a change, not an entry'
  if (entry.fault || options) return entry
  const value = decoded(mark, raw)
  if (type === 'dn') {
    entry.dn = value.text ?? ''
    if (value.text === undefined) entry.fault = `dn ${value.fault}`
    return entry
  }
  if (value.text === undefined) entry.faults.set(type, value.fault)
  const known = entry.values.get(type)
  if (known) known.push(value.text ?? '')
  else entry.values.set(type, [value.text ?? ''])
  return entry
}

type Value = { text: string } | { text?: undefined; fault: string }

function decoded(mark: string, raw: string): Value {
  if (raw.length >= longestValue) return { fault: 'is too long' }
  if (mark === '<') return { fault: 'is behind a URL, which is not fetched' }
  if (mark === '') return { text: raw }
  const bytes = Buffer.from(raw.trim(), 'base64')
  if (bytes.toString('base64') !== raw.trim()) return { fault: 'is broken base64' }
  try {
    return { text: decoder.decode(bytes) }
  } catch {
    return { fault: 'is not text in UTF-8' }
  }
}

function broken(number: number, fault: string): ForeignEntry {
  return { at: `line ${number}`, dn: '', values: new Map(), faults: new Map(), fault }
}

/** Lines without their ends; of one that is too long only its beginning. */
async function* linesOf(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = ''
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split('\n')
    rest = (lines.pop() ?? '').slice(0, 2 * longestValue)
    for (const line of lines) yield line.endsWith('\r') ? line.slice(0, -1) : line
  }
  if (rest !== '') yield rest.endsWith('\r') ? rest.slice(0, -1) : rest
}
