import { Refusal } from '#src/errors.ts'

/** Throws InvalidInput in words for people: the service's own name the fields of the API. */
export function requireSame({ password, confirm }: { password: string; confirm: string }): void {
  if (confirm !== password) throw new Refusal('InvalidInput', 'The two new passwords are not the same.')
}
