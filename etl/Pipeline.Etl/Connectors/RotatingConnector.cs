using Pipeline.Yaml.Secrets;

namespace Pipeline.Etl.Connectors;

/// <summary>
/// A configured connection. It creates a new connector when a secret has changed, and masks secrets in errors and logs.
/// Thread-safe.
/// </summary>
/// <remarks>Secrets are reread each time a sink reconnects; those of a command at most once per <see cref="Interval"/>.
/// Secrets from files are also reread every <see cref="Interval"/> while messages are sent. A connector is closed when
/// its last sink has moved to the next one.</remarks>
internal sealed partial class RotatingConnector : IConnector
{
    /// <summary>
    /// How often secret files are read while messages are sent, and the least time between two runs of the command.
    /// </summary>
    public static readonly TimeSpan Interval = TimeSpan.FromSeconds(5);

    private readonly ConnectionConfiguration _connection;
    private readonly ConnectorContext _context;
    private readonly Lock _lock = new();
    private volatile IReadOnlyDictionary<string, string> _read;
    private volatile Lease _current;
    private long _looked;
    private long _renewed;

    public RotatingConnector(ConnectionConfiguration connection, ConnectorContext context)
    {
        _connection = connection;
        _context = context with { Loggers = new RedactingLoggers(context.Loggers, connection.Secrets) };
        _current = new Lease(connection.Definition.Create(connection.Options, _context));
        _read = connection.Read;
        _looked = _renewed = context.Time.GetTimestamp();
    }

    /// <inheritdoc/>
    public IMessageSink CreateSink(SinkContext context) =>
        new Sink(this, context with { Loggers = new RedactingLoggers(context.Loggers, _connection.Secrets) });

    /// <inheritdoc/>
    public async ValueTask CheckHealthAsync(CancellationToken cancellationToken)
    {
        var lease = Enter();
        try
        {
            await lease.Connector.CheckHealthAsync(cancellationToken).ConfigureAwait(false);
        }
        catch (ConnectorException e) when (Safe(e) is { } safe)
        {
            throw safe;
        }
        finally
        {
            await LeaveAsync(lease).ConfigureAwait(false);
        }
    }

    /// <inheritdoc/>
    public ValueTask DisposeAsync() => LeaveAsync(_current);

    /// <summary>The connector to use now; <see cref="LeaveAsync"/> returns it.</summary>
    private Lease Enter()
    {
        lock (_lock)
        {
            _current.Users++;
            return _current;
        }
    }

    private async ValueTask LeaveAsync(Lease lease)
    {
        lock (_lock)
        {
            if (--lease.Users > 0)
                return;
        }

        await lease.Connector.DisposeAsync().ConfigureAwait(false);
    }

    /// <summary>Rereads the secrets and creates a new connector if one has changed.</summary>
    /// <exception cref="ConnectorException">A secret cannot be read, or the options have a fault now.</exception>
    private async ValueTask RenewAsync(bool isChanged, CancellationToken cancellationToken)
    {
        if (_connection.Renew is not { } renew || _read.Count == 0)
            return;
        if (
            !isChanged
            && _read.Keys.Any(k => k.StartsWith("command:", StringComparison.Ordinal))
            && !IsTime(ref _renewed)
        )
        {
            return;
        }

        Lease old;
        var options = await Task.Run(renew, CancellationToken.None).WaitAsync(cancellationToken).ConfigureAwait(false);
        if (options.Options is null)
        {
            var fault = options.Fault!;
            throw new ConnectorException(
                _connection.Name,
                _connection.Secrets.Redact(
                    $"{fault.Message} ({Path.GetFileName(fault.File)}:{fault.Line}:{fault.Column})"
                ),
                isTransient: true
            );
        }

        lock (_lock)
        {
            if (!HasChanged(options.Read))
                return;
            old = _current;
            _current = new Lease(_connection.Definition.Create(options.Options, _context));
            _read = options.Read;
        }

        ConnectorLog.SecretChanged(_context.Loggers.CreateLogger("Pipeline.Etl.Connections"), _connection.Name);
        await LeaveAsync(old).ConfigureAwait(false);
    }

    /// <summary>
    /// Whether the file of a secret has changed since it was read. A file that cannot be read now counts as unchanged.
    /// </summary>
    private bool HasFileChanged()
    {
        if (!_read.Keys.Any(IsFile) || !IsTime(ref _looked))
            return false;
        foreach ((var key, var value) in _read)
        {
            if (
                IsFile(key)
                && SecretReader.ReadFile(key["file:".Length..], _context.BaseDirectory, out _, out _) is { } now
                && now != value
            )
            {
                return true;
            }
        }

        return false;
    }

    private static bool IsFile(string key) => key.StartsWith("file:", StringComparison.Ordinal);

    private bool HasChanged(IReadOnlyDictionary<string, string> read) =>
        read.Count != _read.Count || read.Any(r => !_read.TryGetValue(r.Key, out var before) || before != r.Value);

    private bool IsTime(ref long last)
    {
        lock (_lock)
        {
            if (_context.Time.GetElapsedTime(last) < Interval)
                return false;
            last = _context.Time.GetTimestamp();
            return true;
        }
    }

    /// <summary>The error without secrets; <see langword="null"/> if it contains none.</summary>
    private ConnectorException? Safe(ConnectorException error)
    {
        var secrets = _connection.Secrets;
        if (secrets.IsEmpty || !secrets.AreIn(error.ToString()))
            return null;
        return new ConnectorException(
            error.Connection,
            secrets.Redact(error.Message),
            error.IsTransient,
            new RedactedException(secrets.Redact(error.ToString()))
        );
    }

    /// <summary>One connector and the number of its users. This object counts as a user of the newest one.</summary>
    private sealed class Lease(IConnector connector)
    {
        public IConnector Connector { get; } = connector;

        public int Users { get; set; } = 1;
    }
}
