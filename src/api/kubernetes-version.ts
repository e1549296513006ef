/** The Kubernetes release whose API is served; our components name themselves by it. */
export const kubernetesVersion = "v1.36.0";
