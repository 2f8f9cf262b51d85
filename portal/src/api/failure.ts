type Told = { status: number; name: string; message: string; requestId?: string }

/** What the API refused or could not do: its error name, its sentence, and the id under which the log tells the rest. */
export class Failure extends Error {
  override readonly name: string
  readonly status: number
  readonly requestId?: string

  constructor({ status, name, message, requestId }: Told, options?: ErrorOptions) {
    super(message, options)
    this.name = name
    this.status = status
    if (requestId !== undefined) this.requestId = requestId
  }
}
