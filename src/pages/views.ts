import type { ApiDocs } from './api-docs.ts'

/** The application that sends somebody here, as a page shows it. */
export type Application = {
  name: string
  /** Host people know it by, e.g. that of its redirect URI; shown so that a name cannot pass for another's. */
  host?: string
  /** Shown only when https (anything else is dropped); loaded by the browser, never by the service. */
  logo_uri?: string
}

/** Who is signed in. */
export type Account = { uid: string; name: string; mail?: string }

/** A form that is posted as it is: hidden fields, and a button's own name and value. */
export type Post = {
  action: string
  hidden?: Record<string, string>
  button?: { name: string; value: string }
}

export type Link = { href: string; label: string }

/** A form on the way in, and the application it is for. */
export type Asking = { form: Post; application?: Application; cancel?: Post; error?: string }

/** What every step after signing in shows. */
export type Step = {
  form: Post
  /** How many steps are open, this one among them. */
  left: number
  /** Goes no further. */
  leave: { form: Post; label: string }
  application?: Application
  error?: string
}

/**
 * Every page and what its template reads: `views/<name>.eta`. A page that is not here cannot be rendered, and one
 * that is here cannot be rendered with anything else.
 */
export type Views = {
  'sign-in': {
    /** Where the form posts `uid`, `password` and the hidden fields. */
    form: Post
    application?: Application
    /** What was typed as username, kept after a refusal. */
    uid?: string
    /** A sentence; shown as an alert. */
    error?: string
    /** Goes back to the application without signing in. */
    cancel?: Post
    /** The page of one-time codes. */
    code?: string
    /** The page for a forgotten password. */
    forgotten?: string
  }
  /** Where a one-time code goes; posts `login` and `method`. */
  'code-request': Asking & { method: 'email' | 'sms'; login?: string; password: string }
  /** Posts `code`. */
  'code-entry': Asking & {
    method: 'email' | 'sms'
    login: string
    minutes: number
    /** Sends another code. */
    another: Post
    password: string
  }
  'reset-request': { form: Post; mail?: string; error?: string }
  'reset-sent': { mail: string }
  /** Posts `password` and `confirm`. */
  'reset-form': { form: Post; error?: string }
  'reset-done': Record<never, never>
  /** Asks for the address of an invite; `bound`: it has one already. */
  'invite-mail': { form: Post; bound: boolean; mail?: string; error?: string }
  'invite-sent': { mail: string }
  /** Posts `uid`, `givenName`, `sn`, `password` and `confirm`. */
  'invite-form': {
    form: Post
    /** The account's address, which is settled. */
    mail: string
    typed: { uid?: string; givenName?: string; sn?: string }
    /** Usernames that are free, when the one typed is not. */
    suggestions: string[]
    error?: string
  }
  /** Posts `decision` = `continue`, `switch` or `cancel`. `hint`: whom the application expects. */
  'choose-account': { form: Post; application: Application; account: Account; hint?: string }
  consent: {
    /** Posts `decision` = `allow` or `deny`. */
    form: Post
    application: Application
    account: Account
    /** The scopes asked for; known ones are explained in plain words. */
    scopes: string[]
    /** Ends this session and asks who somebody is again. */
    switch?: Post
  }
  /** An application that `account` may not use, since none of its `groups` has them as a member (GroupRequired). */
  'group-required': {
    application: Application
    account: Account
    groups: string[]
    /** The same again as somebody else. */
    switch?: Post
  }
  /** Posts `user_code`, the code that a device shows (RFC 8628). */
  'device-code': { form: Post; code?: string; error?: string }
  /** Posts `confirm` or `abort`: whether the device of `code`, which asked from `address`, gets `scopes`. */
  'device-confirm': {
    form: Post
    switch: Post
    application: Application
    account: Account
    scopes: string[]
    code: string
    address: string
  }
  'device-done': { allowed: boolean; application?: Application; account?: Account }
  /** Posts the hidden fields to an application. */
  'form-post': { form: Post }
  /** Leads to an application. */
  'lead-on': { href: string }
  /** Any other refusal. */
  error: { status: number; name: string; message: string; back?: Link }
  /** Asks before signing out: a GET alone never does. */
  'sign-out': { form: Post; stay?: Post; application?: Application; account?: Account }
  'signed-out': { back?: Link }
  /** `terms`: there are some to read. */
  home: { account: Account; signOut: Post; terms: boolean }
  /** Asks whether an address is somebody's, before the link to it does anything. */
  verify: { form: Post; kind: 'mail' | 'mobile'; address: string }
  verified: { kind: 'mail' | 'mobile'; address: string }
  /** `html` as in `terms`. */
  'step-terms': Step & { html: string; version: number }
  /** `today` is the last day that can be chosen, YYYY-MM-DD. */
  'step-birth': Step & { today: string }
  'step-password': Step & { uid: string }
  /** `html` comes from src/tos/markdown.ts and is printed as it is. */
  terms: { html: string; version: number; since: number }
  'api-docs': ApiDocs
}
