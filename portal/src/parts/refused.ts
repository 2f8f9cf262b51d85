/**
 * The sentences in which the API refuses a value, each with its key in the catalogue `refused`. The API speaks English and says
 * which field and what is wrong with it in the sentence alone; a test holds this list to what the service says.
 */
const sentences = [
  ['required', /^(?<field>\S+) is (?:required|missing)\.$/],
  ['unknown', /^(?<field>\S+?):? (?:is not a known field|a resource of kind \w+ has no such field)\.$/],
  ['tooShort', /^(?<field>\S+) must NOT have fewer than (?<count>\d+) characters\.$/],
  ['tooLong', /^(?<field>\S+) must NOT have more than (?<count>\d+) characters\.$/],
  ['tooFew', /^(?<field>\S+) must NOT have fewer than (?<count>\d+) (?:items|properties)\.$/],
  ['tooMany', /^(?<field>\S+) must NOT have more than (?<count>\d+) (?:items|properties)\.$/],
  ['least', /^(?<field>\S+) must be >= (?<count>\S+)\.$/],
  ['most', /^(?<field>\S+) must be <= (?<count>\S+)\.$/],
  ['form', /^(?<field>\S+) must match (?:pattern|format|a schema) .+\.$/],
  ['choice', /^(?<field>\S+) must be equal to (?:one of the allowed values|constant)\.$/],
  ['whole', /^(?<field>\S+) must be integer(?:,null)?\.$/],
  ['kind', /^(?<field>\S+) must be (?:string|boolean|array|object|number|null)(?:,\w+)*\.$/],
  ['twice', /^(?<field>\S+) must NOT have duplicate items .+\.$/],
  ['empty', /^(?<field>\S+?):? (?:is|must not be) empty\.$/],
  ['line', /^(?<field>\S+?):? must be one line of text\.$/],
  ['signs', /^(?<field>\S+) holds signs that a name cannot have\.$/],
  ['mail', /^(?<field>\S+) is not a mail address\.$/],
  ['phone', /^(?<field>\S+) is not a phone number\.$/],
  ['past', /^(?<field>\S+) must be a date of the past, YYYY-MM-DD\.$/],
  ['language', /^(?<field>\S+) is not a language tag \(BCP 47\)\.$/],
  ['uid', /^(?<field>\S+) must be 1 to 32 of a-z 0-9 \. _ - and begin with a letter\.$/],
  ['kept', /^(?<field>\S+) (?:is a word that the service keeps for itself|cannot be \S+)\.$/],
  ['again', /^(?:confirm must be the same as password|The two new passwords are not the same)\.$/],
  ['groupName', /^name must start with a letter or digit and hold .+\.$/],
  ['groupSigns', /^The name of the group holds signs that names do not have\.$/],
  ['noGroup', /^\S+: there is no group (?<name>.+)\.$/],
  ['noUser', /^\S+: there is no user (?<name>.+)\.$/],
  ['noResource', /^(?:\S+: there is no (?:such )?resource.*|There is no resource .+)\.$/],
  ['noType', /^pluginType: there is no type (?<name>.+)\.$/],
  ['environment', /^(?<field>\S+) comes from the environment and cannot be changed here\.$/],
  ['range', /^(?<field>\S+?):? must be a whole number from (?<from>\d+) to (?<to>\d+)\.$/],
  ['from', /^(?<field>\S+?):? must be a whole number from (?<from>\d+)\.$/],
  ['oneOf', /^(?<field>\S+?):? must be one of (?<values>.+)\.$/],
  [
    'url',
    /^(?<field>\S+?):? must be an http\(s\) URL without (?:query, fragment or final slash|fragment)\.$/,
  ],
  ['webUrl', /^(?<field>\S+?):? must be an http\(s\) URL\.$/],
  ['hookUrl', /^url must be an https or http address without user and fragment\.$/],
  ['network', /^(?<field>\S+): (?<value>\S+) is no address or CIDR\.$/],
  ['host', /^(?<field>\S+): (?<value>\S+) is no host name, address or CIDR .+\.$/],
  ['half', /^(?<field>\S+): must be at most half of (?<other>\S+)\.$/],
  ['atLeast', /^(?<field>\S+): must be at least (?<other>\S+)\.$/],
  ['needsUri', /^redirect_uris: needs at least one URI\.$/],
  ['needsScope', /^scopes: needs at least one scope\.$/],
  ['noScope', /^scopes: (?<value>".*") is not a scope\.$/],
  ['exact', /^(?<field>\S+): (?<value>".*") must be exact\.$/],
  ['webUri', /^(?<field>\S+): (?<value>".*") must be an http\(s\) URL without fragment\.$/],
  ['uriSigns', uri('must be a URI of at most 2000 printable characters|must not hold a backslash')],
  ['uriWhole', uri('must be an absolute URI')],
  ['uriFragment', uri('must not have a fragment .+')],
  ['uriUser', uri('must not hold a username or password')],
  ['uriSecure', uri('must be https, or http on a loopback address|must be https where it is a pattern')],
  ['uriScheme', uri('must be http or https, or a private scheme .+')],
  ['uriPublic', uri('may use a private scheme only when .+')],
  ['uriStar', uri('may hold \\*.*')],
  ['uriPattern', uri('must be a plain https pattern: .+')],
  ['uriSpelled', uri('must be spelled as browsers spell it: .+')],
  ['uriDomain', uri('must end in a domain name of its own, .+')],
  ['uriAddress', uri('must not be an address where it is a pattern')],
  ['keySecret', /^metadata\.(?<name>.+): secrets have no place in metadata\.$/],
  ['keyName', /^metadata\.(?<name>.+): is no name of a key\.$/],
  ['keySigns', /^metadata\.(?<name>.+): holds signs that nobody sees\.$/],
  ['keyLink', /^metadata\.(?<name>.+): must (?:lead to a place|be an http\(s\) URL)\.$/],
  ['keyIcon', /^metadata\.(?<name>.+): must be a name or an http\(s\) URL\.$/],
  ['grants', /^grant_types: allows client_credentials only to a client with a secret\.$/],
  ['refresh', /^grant_types: allows refresh_token only beside .+\.$/],
  ['publicSecret', /^A (?:public client|resource of kind \w+) has no secret\.$/],
  ['cron', /^cron is no schedule: .+\.$/],
  ['noSecret', /^(?<field>\S+) is no secret of this type\.$/],
  ['hookSecret', /^secret must be whsec_ .+\.$/],
  ['folder', /^plugins\.folder names no folder to write to\.$/],
  ['days', /^expires_in_days is more than the (?<count>\d+) seconds allowed\.$/],
  [
    'noPhone',
    /^(?:There is no phone number to send a code to|kind: the account has no such address to send a code to)\.$/,
  ],
  ['noMail', /^This invite is for no address: hand its link on\.$/],
  ['noRequest', /^slug: access to this resource cannot be asked for\.$/],
  ['slug', /^slug(?: is needed where|: \S+ is the service of) .*\.$/],
  ['parents', /^parents: a resource of kind .+ lies below .+\.$/],
  ['nothingToSend', /^message holds nothing that a mail can show\.$/],
  [
    'nobody',
    /^filter_value (?:names no group|holds a uid that nobody can have|must be a JSON array of uids, as a string)\.$/,
  ],
  ['unknownNames', /^filter_value: there is no (?<name>.+)\.$/],
  ['tooManyMatches', /^sort: this directory sorts at most (?<count>\d+) matches; narrow the search$/],
  ['ownOnly', /^current belongs to a change of the own password only\.$/],
  ['place', /^The directory has no place for (?<name>.+)\.$/],
  ['refused', /^The directory does not accept one of these values\.$/],
  [
    'meanwhile',
    /^(?:Somebody changed this at the same time: read it again|Others are changing this right now: try again in a moment)\.$/,
  ],
  ['newTerms', /^The terms have changed meanwhile: read them again\.$/],
  ['locked', /^The account is locked\.$/],
  ['hasAccess', /^You have access already\.$/],
  ['noWay', /^No group gives access to this resource any more\.$/],
  ['decided', /^This request is decided, or its approval has begun: .+\.$/],
  ['trimmed', /^Older events were removed meanwhile: begin anew\.$/],
  ['otherKey', /^What is stored was sealed with another key: .+\.$/],
  ['below', /^Other resources lie below this one: .+\.$/],
  ['belongs', /^An application belongs to a service: .+\.$/],
  [
    'full',
    /^(?:There are (?<count>\d+) of (?:these|this source) already.*|You have (?<most>\d+) tokens already: .+)\.$/,
  ],
  ['newCode', /^Ask for another code\.$/],
  ['number', /^uidNumber belongs to somebody else\.$/],
] as const satisfies readonly (readonly [string, RegExp])[]

export type Refused = { key: (typeof sentences)[number][0]; values: Record<string, string> }

/** Of one of several URIs (src/oauth/redirect-uri.ts): the sentence shows which. */
function uri(fault: string): RegExp {
  return new RegExp(`^(?<field>\\S+): (?<value>".*") (?:${fault})\\.$`)
}

/** What a sentence of the API says; undefined for one that is not known here. */
export function readRefusal(sentence: string): Refused | undefined {
  for (const [key, pattern] of sentences) {
    const found = pattern.exec(sentence)
    if (found) return { key, values: { ...found.groups } as Record<string, string> }
  }
  return undefined
}
