using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;

namespace Pipeline.Hosting;

/// <summary>Paths of options.</summary>
internal static class ContentPath
{
    /// <summary>A path that starts at the host's content root unless it is absolute.</summary>
    public static string? Of(IServiceProvider services, string? path) =>
        path is null ? null : Path.Combine(services.GetRequiredService<IHostEnvironment>().ContentRootPath, path);
}
