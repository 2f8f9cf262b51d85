/** What stands for a secret, and keeps it when it is posted back. */
export const mask = '********'

/** True for a value that leaves a secret as it is: a blank or the mask. */
export function keepsSecret(value: unknown): boolean {
  return value === '' || value === mask
}
