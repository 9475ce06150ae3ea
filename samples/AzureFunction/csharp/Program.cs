#if FUNCTIONS
using Microsoft.Azure.Functions.Worker;
using Microsoft.Extensions.Hosting;

await new HostBuilder().ConfigureFunctionsWorkerDefaults().Build().RunAsync();
#endif
