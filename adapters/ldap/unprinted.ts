import { AddRequest, CompareRequest, ExtendedRequest, ModifyRequest, SearchRequest } from 'ldapts'

/**
 * ldapts makes JSON of every message it sends, for a debug line that is thrown away unless NODE_DEBUG asks for it; and
 * then the line shows new passwords. With a name in its place a search costs less and the line shows nothing.
 */
export function keepMessagesUnprinted(): void {
  for (const { prototype } of [AddRequest, CompareRequest, ExtendedRequest, ModifyRequest, SearchRequest])
    Object.assign(prototype, { toJSON: () => prototype.constructor.name })
}
