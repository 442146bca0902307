import * as api from '#contract/api/user.ts'
import { type Route, route } from '../route.ts'

export const userRoutes: readonly Route[] = [
  route(api.getUser, ({ actor: { user } }) => ({
    user: {
      uid: user.id,
      ...user,
      billing: null,
      defaultTeamId: null,
      hasTrialAvailable: false,
      resourceConfig: {},
      softBlock: null,
      stagingPrefix: user.username,
      version: null,
    },
  })),
]
