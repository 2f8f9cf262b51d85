import Type from 'typebox'
import type { PluginType } from '../type.ts'
import { ldifOf } from './ldif.ts'

/**
 * Writes all people and groups as LDIF, page by page, and keeps the newest files. Without the line `version: 1`, as slapcat
 * has it: slapadd refuses that line.
 */
export const ldifExport: PluginType = {
  type: 'sync/ldif-export',
  category: 'sync',
  name: 'LDIF export',
  description: 'Writes the people and groups of the directory as LDIF into the folder for backups.',
  configSchema: Type.Object(
    {
      keep: Type.Optional(
        Type.Integer({ minimum: 1, maximum: 1000, description: 'Newest files kept; else 7.' }),
      ),
      include_hashes: Type.Optional(
        Type.Boolean({ description: 'With password hashes: then the file is a secret.' }),
      ),
    },
    { additionalProperties: false },
  ),
  secrets: [],
  needs: { directory: 'read', file: 'ldif' },
  async run({ config, log, nextEntries, appendFile, keepFile }) {
    const { keep = 7, include_hashes: hashes = false } = config as { keep?: number; include_hashes?: boolean }
    let count = 0
    let hashed = 0
    for (let page = await nextEntries({ hashes }); page; page = await nextEntries({ hashes })) {
      await appendFile(page.map(ldifOf).join(''))
      count += page.length
      hashed += page.filter(({ attributes }) =>
        attributes.some(([type]) => type.toLowerCase() === 'userpassword'),
      ).length
    }
    if (count === 0) throw new Error('The directory shows no entries.')
    if (hashes && hashed === 0) throw new Error('The directory shows the service no password hashes.')
    log(`${count} entries${hashes ? `, ${hashed} with password hashes` : ''}: ${await keepFile(keep)}`)
  },
}
