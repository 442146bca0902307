import type { Client } from 'acme-client'
import { type AcmeLibrary, acmeLibrary, apart } from './acme-library.ts'

export interface AccountParts {
  /** The address of the authority's directory. */
  readonly directory: string
  readonly email: string | undefined
  /** The account's key in PEM, the same for all processes; made by this function when there is none yet. */
  accountKey(make: () => Promise<string>): Promise<string>
}

interface AcmeAccount {
  /** A client that is signed in. */
  open(): Promise<Client>
  /** The authority does not know the account, or no longer: the next one to open makes it again. */
  forget(): void
}

/** The installation's account with an authority, made when it is first needed. */
export function createAcmeAccount({ directory, email, accountKey }: AccountParts): AcmeAccount {
  let client: Promise<Client> | undefined

  async function signIn({ Client, crypto }: AcmeLibrary): Promise<Client> {
    const key = await accountKey(async () => (await crypto.createPrivateEcdsaKey('P-256')).toString())
    const opened = new Client({ directoryUrl: directory, accountKey: key })
    await opened.createAccount({
      termsOfServiceAgreed: true,
      // Also where there is none: an account that is there already is updated, and nothing is no update.
      contact: email === undefined ? [] : [`mailto:${email}`],
    })
    return opened
  }

  const forget = () => {
    client = undefined
  }

  return {
    open() {
      if (client === undefined) {
        client = apart(() => signIn(acmeLibrary()))
        client.catch(forget)
      }
      return client
    },
    forget,
  }
}
