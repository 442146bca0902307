import { homedir, userInfo } from 'node:os'

/** Where a user's own files are. Programs that start others, as those of CI, may leave HOME empty. */
export function homeFolder({ HOME }: { readonly HOME?: string | undefined }): string {
  if (HOME) return HOME
  try {
    return homedir() || userInfo().homedir
  } catch {
    // A container may run as a user that no list of users knows.
    return '/'
  }
}
