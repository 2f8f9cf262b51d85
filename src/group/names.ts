import { Refusal } from '#src/errors.ts'

/** Path segments of the interface: a group of such a name could not be told from them. */
const reserved = new Set(['owner'])

/**
 * The spelling a group is looked up by: Unicode NFKC, trimmed (contract section 1, identity of a name; the directory
 * compares without case). Throws InvalidInput for signs that nobody sees.
 */
export function groupName(text: string): string {
  const name = text.normalize('NFKC').trim()
  if (name === '' || /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u.test(name))
    throw new Refusal('InvalidInput', 'The name of the group holds signs that names do not have.')
  return name
}

/** The name of a new group. Throws InvalidInput. */
export function newGroupName(text: string): string {
  const name = groupName(text)
  if (!/^[A-Za-z0-9][A-Za-z0-9 ._-]{0,63}$/.test(name))
    throw new Refusal(
      'InvalidInput',
      'name must start with a letter or digit and hold only letters, digits, blanks, dots, underscores and hyphens, 64 at most.',
    )
  if (reserved.has(name.toLowerCase())) throw new Refusal('InvalidInput', `name cannot be ${name}.`)
  return name
}
