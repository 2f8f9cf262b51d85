/**
 * One file: lines of JSON, gzip'd, encrypted to a passphrase in the age format (age-encryption.org/v1), which other programs
 * open too: `age -d backup.age | gunzip`. It is a stream both ways. Each 64 KB are authenticated with their place, and the
 * last with being the last, so that a changed, cut or lengthened file is found out.
 */
import type { FileHandle } from 'node:fs/promises'
import { open, rm } from 'node:fs/promises'
import { Readable } from 'node:stream'
import { Decrypter, Encrypter } from 'age-encryption'
import { lockedBy, openedBy } from './recipient.ts'

const chunkCharacters = 64 * 1024
/** The header of a file with one passphrase takes 150 bytes. */
const headerBytes = 1024

/** Writes a file that is not there yet, for its owner alone to read; none remains when it fails. */
export async function writeBackup(path: string, passphrase: string, lines: AsyncIterable<object>) {
  const file = await open(path, 'wx', 0o600).catch((error) => {
    throw error.code === 'EEXIST' ? new Error(`${path} is there already: give another name`) : error
  })
  try {
    const encrypter = new Encrypter()
    encrypter.addRecipient(lockedBy(passphrase))
    const packed = ReadableStream.from(chunksOf(lines)).pipeThrough(new CompressionStream('gzip'))
    await file.writeFile(await encrypter.encrypt(packed))
    await file.sync()
    return (await file.stat()).size
  } catch (error) {
    await rm(path, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Opens a file that `lines` reads from its beginning as often as it is asked. Throws an Error that says what is wrong. */
export async function openBackup(path: string, passphrase: string) {
  const file = await open(path)
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(headerBytes), 0, headerBytes, 0)
    const decrypter = new Decrypter()
    decrypter.addIdentity(openedBy(passphrase))
    // Once: stretching the passphrase takes a second.
    const fileKey = await decrypter.decryptHeader(buffer.subarray(0, bytesRead))
    return { lines: () => linesOf(file, fileKey), [Symbol.asyncDispose]: () => file.close() }
  } catch (cause) {
    await file.close()
    throw new Error(`${path} cannot be opened: the passphrase is another one, or this is no backup`, {
      cause,
    })
  }
}

async function* linesOf(file: FileHandle, fileKey: Uint8Array): AsyncGenerator<unknown> {
  const decrypter = new Decrypter()
  decrypter.addIdentity({ unwrapFileKey: () => fileKey })
  let rest = ''
  try {
    const bytes = Readable.toWeb(file.createReadStream({ start: 0, autoClose: false }))
    const plain = await decrypter.decrypt(bytes as ReadableStream<Uint8Array>)
    const text = plain
      .pipeThrough(new DecompressionStream('gzip') as unknown as TransformStream<Uint8Array, Uint8Array>)
      .pipeThrough(new TextDecoderStream() as unknown as TransformStream<Uint8Array, string>)
    for await (const chunk of text) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      for (const line of lines) yield JSON.parse(line)
    }
  } catch (cause) {
    throw new Error('the file was changed or cut off', { cause })
  }
  if (rest) throw new Error('the file was cut off')
}

async function* chunksOf(lines: AsyncIterable<object>): AsyncGenerator<Uint8Array> {
  let text = ''
  for await (const line of lines) {
    text += `${JSON.stringify(line)}\n`
    if (text.length < chunkCharacters) continue
    yield Buffer.from(text)
    text = ''
  }
  yield Buffer.from(text)
}
