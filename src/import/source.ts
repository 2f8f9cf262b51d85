/** What an import reads, whatever it comes from: in the names of the wire, as it was written, not yet judged. */
export type Source = SourcePerson | SourceGroup | SourceFault | SourcePassed

/** Where it stands: `line 12`, or a DN. */
type Place = { at: string }

export type SourcePerson = Place & {
  is: 'person'
  /** One spelling for all spellings, as in `Named`. */
  dn?: string
  values: Partial<Record<PersonField, string>>
  /** A stored password, as it was stored: never to be shown. */
  password?: string
  /** Undefined where the source does not say. */
  isActive?: boolean
  /** Names of groups. */
  groups: string[]
}

export type PersonField =
  | 'uid'
  | 'givenName'
  | 'sn'
  | 'mail'
  | 'mobile'
  | 'dateOfBirth'
  | 'sshPublicKey'
  | 'uidNumber'
  | 'homeDirectory'
  | 'loginShell'

/** Somebody or a group, as a membership names them. */
export type Named = { dn: string } | { uid: string }

export type SourceGroup = Place & {
  is: 'group'
  dn?: string
  cn: string
  description?: string
  members: Named[]
  owners: Named[]
}

/** What cannot be read. `reason` never repeats a value. */
export type SourceFault = Place & { is: 'fault'; field: string; reason: string }
/** An entry that is neither a person nor a group. */
export type SourcePassed = Place & { is: 'passed' }
