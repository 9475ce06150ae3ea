using Pipeline.TestKit.Services;

namespace Pipeline.IntegrationTests.Conformance;

/// <summary>A real target of one kind of connector, which the suite sends to, reads back from and spoils.</summary>
/// <remarks>
/// One subclass a connector, with a parameterless constructor; the suite finds them. See etl/CONNECTORS.md.
/// </remarks>
public abstract class ConformanceTarget : IAsyncDisposable
{
    private FaultyProxy? _proxy;
    private ITestBroker? _broker;

    /// <summary>The connector's kind.</summary>
    public abstract string Kind { get; }

    /// <summary>
    /// Whether a reader sees each message once, whatever happens; else repeats with the same id are allowed.
    /// </summary>
    public abstract bool IsExactlyOnce { get; }

    /// <summary>Whether it lies behind a network, with faults in it.</summary>
    public virtual bool HasNetwork => true;

    /// <summary>Whether confirmed messages survive a kill of the broker.</summary>
    public virtual bool SurvivesKill => true;

    /// <summary>The size, in bytes, of a body that is too large for the target with <see cref="Options"/>.</summary>
    public abstract int OversizeBytes { get; }

    /// <summary>The broker; null if the target has none.</summary>
    internal ITestBroker? Broker => _broker;

    /// <summary>The proxy in front of the broker; null if the target uses no network.</summary>
    internal FaultyProxy? Proxy => _proxy;

    /// <summary>Starts the broker and the proxy.</summary>
    public async Task StartAsync()
    {
        if (!HasNetwork)
            return;
        _proxy = new FaultyProxy();
        _broker = await StartBrokerAsync(_proxy.Port);
        _proxy.Target = PortOf(_broker.Endpoint);
    }

    /// <summary>The options as YAML in one line, for a client that goes through the proxy.</summary>
    public abstract string Options { get; }

    /// <summary>
    /// Everything at a destination, read by a client of somebody else's: ids and bodies, in order per key.
    /// </summary>
    public abstract Task<List<(string Id, string Body)>> ReadAsync(string destination);

    /// <summary>
    /// Makes the target ready to refuse a message of this destination that the connector itself finds no fault with.
    /// </summary>
    /// <returns>How to have it refused; null where the target takes whatever the connector does.</returns>
    internal virtual Task<Refusal?> PrepareRefusalAsync(string destination) => Task.FromResult<Refusal?>(null);

    /// <summary>
    /// Before a soak: makes sure of what the broker itself would lose if it was killed in its first seconds.
    /// </summary>
    public virtual Task PrepareSoakAsync(string destination) => Task.CompletedTask;

    /// <summary>A name for a destination that is not there yet.</summary>
    public virtual string NewDestination() => Sinks.NewName("conformance");

    public virtual async ValueTask DisposeAsync()
    {
        if (_proxy is not null)
            await _proxy.DisposeAsync();
        if (_broker is not null)
            await _broker.DisposeAsync();
        GC.SuppressFinalize(this);
    }

    /// <summary>Starts a broker for this test only.</summary>
    /// <param name="proxyPort">The port that the broker must advertise to clients.</param>
    protected abstract Task<ITestBroker> StartBrokerAsync(int proxyPort);

    /// <summary>The port within an endpoint.</summary>
    protected static int PortOf(string endpoint)
    {
        var digits = System.Text.RegularExpressions.Regex.Matches(endpoint, @":(\d{2,5})\b");
        return int.Parse(digits[^1].Groups[1].Value, System.Globalization.CultureInfo.InvariantCulture);
    }

    /// <summary>The broker's endpoint with the proxy's port.</summary>
    protected string Proxied =>
        Broker!.Endpoint.Replace(
            ":" + PortOf(Broker.Endpoint).ToString(System.Globalization.CultureInfo.InvariantCulture),
            ":" + Proxy!.Port.ToString(System.Globalization.CultureInfo.InvariantCulture),
            StringComparison.Ordinal
        );
}
