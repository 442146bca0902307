import type { User } from './user.ts'

/**
 * Users, and the handles that user names and team slugs share.
 * `insert` answers false when the username or the address is taken, and then nothing is stored.
 */
export interface UserStore {
  insert(user: User): Promise<boolean>
  byId(id: string): Promise<User | undefined>
  byEmail(email: string): Promise<User | undefined>
  byUsername(username: string): Promise<User | undefined>
  update(
    id: string,
    change: Partial<Pick<User, 'plan' | 'softBlocked' | 'operator'>>,
  ): Promise<User | undefined>
  /** Those who operate this installation, some of them if there are very many. */
  operators(): Promise<readonly User[]>
  /** Whether anybody operates this installation yet. */
  hasOperator(): Promise<boolean>
}
