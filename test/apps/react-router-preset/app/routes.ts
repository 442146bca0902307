import { index, type RouteConfig, route } from '@react-router/dev/routes'

export default [
  index('./home.tsx'),
  route('people/:name', './person.tsx'),
  route('api/sum', './sum.ts'),
  route('cookie', './cookie.ts'),
] satisfies RouteConfig
