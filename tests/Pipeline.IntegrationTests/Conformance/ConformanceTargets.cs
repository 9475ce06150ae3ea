using Xunit;

namespace Pipeline.IntegrationTests.Conformance;

/// <summary>The targets of all kinds, each started by the first test that asks for it and stopped at the end.</summary>
public sealed class ConformanceTargets : IAsyncLifetime
{
    private readonly Dictionary<string, ConformanceTarget> _targets = new(StringComparer.Ordinal);

    public Task InitializeAsync() => Task.CompletedTask;

    public async Task DisposeAsync()
    {
        foreach (var target in _targets.Values)
            await target.DisposeAsync();
    }

    /// <summary>The running target of a kind.</summary>
    public async Task<ConformanceTarget> UseAsync(string kind)
    {
        if (_targets.TryGetValue(kind, out var known))
        {
            // Left by an earlier test that failed.
            if (known.Proxy is { } proxy)
                (proxy.Delay, proxy.IsDeaf) = (TimeSpan.Zero, false);
            return known;
        }

        var target = typeof(ConformanceTarget)
            .Assembly.GetTypes()
            .Where(t => !t.IsAbstract && t.IsSubclassOf(typeof(ConformanceTarget)))
            .Select(t => (ConformanceTarget)Activator.CreateInstance(t)!)
            .SingleOrDefault(t => t.Kind == kind);
        Assert.True(
            target is not null,
            $"the connector '{kind}' has no target here: add a subclass of ConformanceTarget (see etl/CONNECTORS.md)"
        );
        await target.StartAsync();
        return _targets[kind] = target;
    }
}

[CollectionDefinition(Name)]
public sealed class ConformanceCollection : ICollectionFixture<ConformanceTargets>
{
    public const string Name = "conformance";
}
