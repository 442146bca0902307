import { Outlet } from '@tanstack/react-router'

export const DeploymentFrame = () => <Outlet />
