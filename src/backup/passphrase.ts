import { readFile } from 'node:fs/promises'

const least = 16

/**
 * A secret for these programs from the file that `<name>_FILE` names or from `<name>` itself, never from an argument, which
 * everybody on the machine can see.
 */
export async function secretFrom(
  env: Record<string, string | undefined>,
  name: string,
): Promise<string | undefined> {
  const file = env[`${name}_FILE`]
  return file ? (await readFile(file, 'utf8')).replace(/\r?\n$/, '') : env[name]
}

/** `BACKUP_PASSPHRASE`: without it whoever finds the file has nothing. */
export async function passphraseFrom(env: Record<string, string | undefined>): Promise<string> {
  const passphrase = await secretFrom(env, 'BACKUP_PASSPHRASE')
  if (!passphrase || passphrase.length < least)
    throw new Error(
      `Set BACKUP_PASSPHRASE_FILE (a file with the passphrase) or BACKUP_PASSPHRASE: ${least} characters or more`,
    )
  return passphrase
}
