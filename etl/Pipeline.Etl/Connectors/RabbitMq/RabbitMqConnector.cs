using System.Collections.Concurrent;
using Microsoft.Extensions.Logging;
using Pipeline.Database.Certificates;
using RabbitMQ.Client;

namespace Pipeline.Etl.Connectors.RabbitMq;

/// <summary>
/// Holds one connection to one broker. Tasks share the connection, and each has its own channel. Thread-safe.
/// </summary>
internal sealed class RabbitMqConnector : IConnector
{
    private readonly ConnectionFactory _factory;
    private readonly RabbitMqTls? _tls;
    private readonly SemaphoreSlim _gate = new(1);
    private volatile bool _disposed;
    private readonly ILogger _logger;
    private readonly ConcurrentBag<IChannel> _left = [];
    private IConnection? _connection;
    private volatile string? _blocked;

    internal RabbitMqConnector(RabbitMqOptions options, ConnectorContext context)
    {
        Options = options;
        Context = context;
        _logger = context.Loggers.CreateLogger<RabbitMqConnector>();
        var uri = new Uri(options.Uri);
        _factory = new ConnectionFactory
        {
            Uri = uri,
            ClientProvidedName = "pipeline " + context.Connection,
            RequestedConnectionTimeout = TimeSpan.FromSeconds(10),
            HandshakeContinuationTimeout = TimeSpan.FromSeconds(10),
            RequestedHeartbeat = TimeSpan.FromSeconds(15),

            // The runner decides when to retry and which messages to resend.
            AutomaticRecoveryEnabled = false,
            TopologyRecoveryEnabled = false,
        };
        if (_factory.Ssl.Enabled)
            _tls = new RabbitMqTls(options, context.BaseDirectory);
        Faults = new RabbitMqFaults(context.Connection, $"{_factory.HostName}:{_factory.Endpoint.Port}");
    }

    internal RabbitMqOptions Options { get; }

    internal ConnectorContext Context { get; }

    internal RabbitMqFaults Faults { get; }

    /// <summary>
    /// Why the broker accepts no messages at the moment (<c>connection.blocked</c>: low on disk or memory), or null.
    /// </summary>
    internal string? Blocked => _blocked;

    /// <inheritdoc/>
    public IMessageSink CreateSink(SinkContext context) => new RabbitMqSink(this, context);

    /// <inheritdoc/>
    public async ValueTask CheckHealthAsync(CancellationToken cancellationToken)
    {
        var channel = await OpenChannelAsync(confirms: false, cancellationToken).ConfigureAwait(false);
        await CloseAsync(channel).ConfigureAwait(false);
    }

    /// <inheritdoc/>
    public async ValueTask DisposeAsync()
    {
        _disposed = true;
        var connection = Interlocked.Exchange(ref _connection, null);
        if (connection is not null)
            await CloseAsync(connection).ConfigureAwait(false);
    }

    /// <summary>Opens a channel, over a new connection if the last one is closed.</summary>
    /// <exception cref="ConnectorException">The broker cannot be reached or refuses us.</exception>
    internal async Task<IChannel> OpenChannelAsync(bool confirms, CancellationToken cancellationToken)
    {
        try
        {
            var connection = await OpenConnectionAsync(cancellationToken).ConfigureAwait(false);
            var options = new CreateChannelOptions(
                publisherConfirmationsEnabled: confirms,
                publisherConfirmationTrackingEnabled: false
            );
            return await connection.CreateChannelAsync(options, cancellationToken).ConfigureAwait(false);
        }
        catch (Exception e) when (RabbitMqFaults.IsOfTheBroker(e, cancellationToken))
        {
            throw _tls?.Fault is { } fault ? Faults.Permanent(fault, e) : Faults.From("no channel was opened", e);
        }
        catch (CertificateFileException e)
        {
            throw Faults.Permanent(e.Message, e);
        }
    }

    /// <summary>Closes a channel or a connection and ignores errors, since it is lost anyway. A broker that has blocked
    /// the connection reads nothing from it, so a channel is then left open until the broker unblocks it.</summary>
    internal async ValueTask CloseAsync(IAsyncDisposable closing)
    {
        if (_blocked is not null && closing is IChannel channel)
        {
            _left.Add(channel);
            return;
        }

        try
        {
            await closing.DisposeAsync().ConfigureAwait(false);
        }
        catch (Exception e) when (RabbitMqFaults.IsOfTheBroker(e, CancellationToken.None))
        {
            ConnectorLog.CloseFailed(_logger, Context.Connection, e.Message);
        }
    }

    private async Task<IConnection> OpenConnectionAsync(CancellationToken cancellationToken)
    {
        await _gate.WaitAsync(cancellationToken).ConfigureAwait(false);
        try
        {
            if (_connection is { IsOpen: true })
            {
                // A blocked connection is kept, so that the messages in it arrive once, however often this is retried.
                if (_blocked is { } reason)
                    throw Faults.Transient(RabbitMqFaults.TakesNone(reason));
            }
            else
            {
                if (_connection is { } lost)
                    await CloseAsync(lost).ConfigureAwait(false);
                (_connection, _blocked) = (null, null);
            }

            while (_left.TryTake(out var channel))
                await CloseAsync(channel).ConfigureAwait(false);
            if (_connection is { } open)
                return open;
            _tls?.Prepare(_factory.Ssl);
            var connection = await _factory.CreateConnectionAsync(cancellationToken).ConfigureAwait(false);
            if (_disposed)
            {
                await CloseAsync(connection).ConfigureAwait(false);
                throw new ObjectDisposedException(Context.Connection);
            }

            connection.ConnectionBlockedAsync += (_, e) =>
            {
                _blocked = e.Reason;
                ConnectorLog.ConnectionBlocked(_logger, Context.Connection, e.Reason);
                return Task.CompletedTask;
            };
            connection.ConnectionUnblockedAsync += (_, _) =>
            {
                _blocked = null;
                ConnectorLog.ConnectionUnblocked(_logger, Context.Connection);
                return Task.CompletedTask;
            };
            return _connection = connection;
        }
        finally
        {
            _gate.Release();
        }
    }
}
