/** A few values that the installation keeps about itself. */
export interface SettingStore {
  get(key: string): Promise<string | undefined>
  set(key: string, value: string): Promise<void>
  /** Stores the value unless there is one, and answers the one that counts: processes that race agree. */
  ensure(key: string, value: string): Promise<string>
  /** Removes the key if it holds exactly this value; only one caller is ever told true. */
  take(key: string, value: string): Promise<boolean>
}
