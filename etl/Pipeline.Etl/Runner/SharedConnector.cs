using Pipeline.Etl.Connectors;

namespace Pipeline.Etl.Runner;

/// <summary>
/// A connector and the number of tasks that use it. Closed with the last one. Used under the host's lock.
/// </summary>
internal sealed class SharedConnector(IConnector connector, string name, string fingerprint)
{
    private int _users;

    public IConnector Connector => connector;

    public string Name => name;

    /// <summary>Equal for connections with the same options.</summary>
    public string Fingerprint => fingerprint;

    public SharedConnector Enter()
    {
        _users++;
        return this;
    }

    public ValueTask LeaveAsync() => --_users == 0 ? connector.DisposeAsync() : ValueTask.CompletedTask;
}
