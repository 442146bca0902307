import { QueryClient, QueryClientProvider } from '@tanstack/react-query'
import { RouterProvider } from '@tanstack/react-router'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { ApiError } from '#client/api-error.ts'
import { ConnectionError } from '#client/connection-error.ts'
import { MINUTE } from '#contract/time.ts'
import { connection } from './api/connection.ts'
import { keepShell } from './api/keep-shell.ts'
import { router } from './router.tsx'
import { Reconnecting } from './shell/reconnecting.tsx'
import './styles.css'
import { Toasts } from './ui/feedback/toast.tsx'

const queries = new QueryClient({
  defaultOptions: {
    queries: {
      // Changes are told by the server; what was read stays good until then.
      staleTime: 5 * MINUTE,
      refetchOnWindowFocus: false,
      // While the server is away what is shown stays, and what is missing is waited for. Other failures are said.
      retry: (failures, error) => {
        if (!(error instanceof ConnectionError)) return !(error instanceof ApiError) && failures < 1
        connection.lost()
        return true
      },
      retryDelay: (failures) => Math.min(1000 * 2 ** failures, 10_000),
    },
  },
})

const root = document.getElementById('root')
if (root !== null)
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queries}>
        <RouterProvider router={router} />
        <Toasts />
        <Reconnecting />
      </QueryClientProvider>
    </StrictMode>,
  )

// After everything that is shown.
addEventListener('load', () => void keepShell())
