import type { Filter } from 'ldapts'
import type { Config } from '#src/settings.ts'
import { absoluteDn } from './dn.ts'
import { parseFilter } from './filters.ts'

/**
 * Where things are in this directory and what their attributes are called: the one table between the names on the
 * wire (left) and the attributes of the server (right), so that the service stands in front of an existing one.
 */
export type Layout = ReturnType<typeof layoutOf>

export function layoutOf({ base, people, groups, number, decoy, password }: Config['ldap']) {
  const whole = (dn: string) => absoluteDn(dn, base)
  return {
    base,
    user: {
      base: whole(people.base),
      filter: filterOf('ldap.people.filter', people.filter),
      classes: people.objectClasses,
      ...people.attributes,
    },
    group: {
      base: whole(groups.base),
      filter: filterOf('ldap.groups.filter', groups.filter),
      class: groups.objectClass,
      member: groups.member,
      owner: groups.owner,
      placeholder: whole(groups.placeholder),
    },
    number: { entry: whole(number.entry), minimum: number.minimum },
    decoy: whole(decoy),
    password,
  }
}

function filterOf(setting: string, text: string): Filter {
  try {
    return parseFilter(text)
  } catch (cause) {
    throw new Error(`${setting} is not an LDAP filter: ${text}`, { cause })
  }
}
