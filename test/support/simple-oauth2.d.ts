/** As much of it as tests use; it comes without types. */
declare module 'simple-oauth2' {
  export class AuthorizationCode {
    constructor(options: {
      readonly client: { readonly id: string; readonly secret: string }
      readonly auth: {
        readonly tokenHost: string
        readonly tokenPath: string
        readonly authorizePath: string
      }
      readonly options?: { readonly authorizationMethod: 'header' | 'body' }
    })
    authorizeURL(parameters: { readonly redirect_uri: string; readonly state: string }): string
    getToken(parameters: {
      readonly code: string
      readonly redirect_uri: string
    }): Promise<{ readonly token: Readonly<Record<string, unknown>> }>
  }
}
