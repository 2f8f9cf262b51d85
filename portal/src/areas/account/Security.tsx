import { Password } from './Password.tsx'
import { SshKeys } from './SshKeys.tsx'

/** How I sign in. */
export function Security() {
  return (
    <>
      <Password />
      <SshKeys />
    </>
  )
}
