using System.Collections.Concurrent;
using Pipeline.Etl.Connectors;
using Pipeline.Yaml;

namespace Pipeline.Etl.Tests.Runner;

/// <summary>
/// A target in memory whose errors a test plans in advance. Its content outlives hosts, as a real broker's does.
/// </summary>
public sealed class FakeBroker
{
    private readonly Lock _lock = new();

    /// <summary>Every message that arrived, repeats included.</summary>
    public List<(string Task, OutgoingMessage Message, string Body)> Arrived { get; } = [];

    /// <summary>Batches as they arrived: task, messages, position.</summary>
    public List<(string Task, int Count, long Position)> Batches { get; } = [];

    /// <summary>Positions kept with the messages, where <see cref="Remembers"/>.</summary>
    public Dictionary<string, long> Positions { get; } = [];

    /// <summary>Who wrote these positions.</summary>
    public Dictionary<string, (string Lineage, string Run)> Writers { get; } = [];

    public bool Remembers { get; init; }

    public int MaxBody { get; init; } = int.MaxValue;

    /// <summary>Called at each connect with the task; may throw.</summary>
    public Action<string>? OnConnect { get; set; }

    /// <summary>Called with a batch before it arrives; may throw.</summary>
    public Action<string, MessageBatch>? BeforeArrival { get; set; }

    /// <summary>Called after it arrived and before it is confirmed; may throw.</summary>
    public Action<string, MessageBatch>? AfterArrival { get; set; }

    /// <summary>Awaited before a batch arrives.</summary>
    public Func<MessageBatch, CancellationToken, Task>? Gate { get; set; }

    /// <summary>Which messages are refused for ever.</summary>
    public Func<OutgoingMessage, string?>? Refuse { get; set; }

    public string[] Bodies(string? task = null)
    {
        lock (_lock)
            return [.. Arrived.Where(a => task is null || a.Task == task).Select(a => a.Body)];
    }

    public string[] Ids()
    {
        lock (_lock)
            return [.. Arrived.Select(a => a.Message.Id)];
    }

    internal async Task<IReadOnlyList<MessageFailure>> TakeAsync(
        string task,
        TaskRun run,
        MessageBatch batch,
        CancellationToken cancellationToken
    )
    {
        BeforeArrival?.Invoke(task, batch);
        List<MessageFailure> refused =
        [
            .. batch.Messages.Where(m => Refuse?.Invoke(m) is not null).Select(m => new MessageFailure(m, Refuse!(m)!)),
        ];
        if (Remembers && refused.Count > 0)
            await batch.StoreRefused!(refused, cancellationToken);
        lock (_lock)
        {
            foreach (var message in batch.Messages)
            {
                if (Refuse?.Invoke(message) is null)
                    Arrived.Add((task, message, System.Text.Encoding.UTF8.GetString(message.Body.Span)));
            }

            Batches.Add((task, batch.Messages.Count, batch.Position));
            if (Remembers)
                (Positions[task], Writers[task]) = (batch.Position, (run.Lineage, run.Id));
        }

        AfterArrival?.Invoke(task, batch);
        return refused;
    }
}

public sealed class FakeOptions
{
    [Setting("Nothing.")]
    public string? Nothing { get; init; }
}

public sealed class FakeDefinition(FakeBroker broker) : ConnectorDefinition<FakeOptions>
{
    public override string Kind => "fake";

    public override string Summary => "For tests.";

    protected override IConnector Create(FakeOptions options, ConnectorContext context) => new FakeConnector(broker);

    private sealed class FakeConnector(FakeBroker broker) : IConnector
    {
        public IMessageSink CreateSink(SinkContext context) => new FakeSink(broker, context.Task, context.Run);

        public ValueTask CheckHealthAsync(CancellationToken cancellationToken) => ValueTask.CompletedTask;

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }

    private sealed class FakeSink(FakeBroker broker, string task, TaskRun run) : IMessageSink
    {
        public ValueTask<long?> ConnectAsync(CancellationToken cancellationToken)
        {
            broker.OnConnect?.Invoke(task);
            if (!broker.Remembers)
                return ValueTask.FromResult<long?>(null);
            (var lineage, var id) = broker.Writers.TryGetValue(task, out var writer) ? writer : ("", null!);
            return ValueTask.FromResult<long?>(
                run.Judge(
                    broker.Positions.TryGetValue(task, out var position) ? new TargetMark(position, lineage, id) : null
                )
            );
        }

        public string? FindFault(OutgoingMessage message) =>
            message.Body.Length > broker.MaxBody ? $"over {broker.MaxBody} bytes" : null;

        public bool IsOversize(OutgoingMessage message) => message.Body.Length > broker.MaxBody;

        public async ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
            MessageBatch batch,
            CancellationToken cancellationToken
        )
        {
            if (broker.Gate is { } gate)
                await gate(batch, cancellationToken);
            return await broker.TakeAsync(task, run, batch, cancellationToken);
        }

        public ValueTask DisposeAsync() => ValueTask.CompletedTask;
    }
}
