import type { Icon } from '../../parts/icons.tsx'
import { IconApps, IconBuilding, IconDeviceDesktop, IconServer } from '../../parts/icons.tsx'
import type { Kind } from './search.ts'

/** What may lie above which kind, as the API has it. */
export const parentKinds: Record<Kind, readonly Kind[]> = {
  site: [],
  host: ['site'],
  service: ['host', 'service'],
  oauth: ['service'],
}

export const kindIcons: Record<Kind, Icon> = {
  site: IconBuilding,
  host: IconDeviceDesktop,
  service: IconServer,
  oauth: IconApps,
}

export const flags = ['isPublic', 'requestable'] as const
export const numbers = ['port', 'sshPort'] as const
export const words = ['address', 'ip', 'tagline', 'icon', 'docs'] as const
/** What everybody may see of a resource; all else that is said of it is for directory administrators. */
export const known: readonly string[] = [...flags, ...numbers, ...words]

/** What one would say of each kind; what else is set is shown all the same. */
export const usual: Record<Kind, readonly string[]> = {
  site: ['address', 'tagline', 'docs', 'icon'],
  host: ['address', 'ip', 'sshPort', 'tagline', 'docs', 'icon'],
  service: ['address', 'port', 'tagline', 'docs', 'icon'],
  oauth: ['address', 'tagline', 'docs', 'icon'],
}
