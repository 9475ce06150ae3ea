using Microsoft.Extensions.DependencyInjection;
using Pipeline.Client;
using Pipeline.Etl.Transforms;

namespace Pipeline.Hosting.Workers;

/// <summary>A transform that the application has registered.</summary>
/// <param name="Name">The name that tasks use.</param>
/// <param name="Make">Gives the one instance.</param>
internal sealed record TransformRegistration(string Name, Func<IServiceProvider, object> Make)
{
    /// <summary>All transforms of an application.</summary>
    /// <exception cref="ArgumentException">A name is taken twice, or a class is not a transform.</exception>
    public static TransformCatalog CatalogOf(IServiceProvider services, DocumentStoreOptions? options)
    {
        var catalog = new TransformCatalog(options);
        foreach (var registration in services.GetServices<TransformRegistration>())
            catalog.Add(registration.Make(services), registration.Name);
        return catalog;
    }
}
