/**
 * Encrypts what must not lie readable in the database: secrets, private keys, mails with links.
 * `purpose` is bound to the ciphertext: what was sealed for one purpose does not open for another.
 * `open` throws when the text was changed, or sealed under another master key.
 */
export interface Vault {
  seal(plain: string, purpose: string): string
  open(sealed: string, purpose: string): string
}
