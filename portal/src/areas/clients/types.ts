import type { paths } from '../../../generated/api.d.ts'

type Clients = paths['/api/oauth/client/']
type OneClient = paths['/api/oauth/client/{client_id}']
type Json<T> = T extends { content: { 'application/json': infer B } } ? B : never

export type Client = Json<OneClient['get']['responses'][200]>['results']
/** What a new application is made of, and what of one can be changed. */
export type NewFields = Json<NonNullable<Clients['post']['requestBody']>>
export type Changes = Json<NonNullable<OneClient['put']['requestBody']>>
