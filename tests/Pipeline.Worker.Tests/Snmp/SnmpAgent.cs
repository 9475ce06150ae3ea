using System.IO.Pipelines;
using Pipeline.TestKit.Time;
using Pipeline.Worker.Terminal;
using SystemPipe = System.IO.Pipelines.Pipe;

namespace Pipeline.Worker.Tests.Snmp;

/// <summary><c>pipeline snmp</c> in this process, asked as snmpd asks it.</summary>
internal sealed class SnmpAgent : IAsyncDisposable
{
    private readonly SystemPipe _requests = new();
    private readonly SystemPipe _answers = new();
    private readonly StreamWriter _writer;
    private readonly StreamReader _reader;
    private readonly Task<int> _running;

    public SnmpAgent(bool isTerminal, params string[] arguments)
    {
        _writer = new StreamWriter(_requests.Writer.AsStream()) { AutoFlush = true, NewLine = "\n" };
        _reader = new StreamReader(_answers.Reader.AsStream());
        var console = new WorkerConsole(
            TextWriter.Null,
            Error,
            _answers.Writer.AsStream(),
            isErrorTerminal: isTerminal,
            input: _requests.Reader.AsStream()
        );
        _running = new PipelineCommandLine(console, Time).InvokeAsync(["snmp", .. arguments], default);
    }

    public ManualTimeProvider Time { get; } = new();

    public StringWriter Error { get; } = new();

    /// <summary>The value with the next identifier; null after the last.</summary>
    public Task<(string Id, string Type, string Text)?> NextAsync(string id) => AskAsync("getnext", id);

    /// <summary>The value of an identifier; null if it has none.</summary>
    public Task<(string Id, string Type, string Text)?> GetAsync(string id) => AskAsync("get", id);

    /// <summary>All values below an identifier.</summary>
    public async Task<List<(string Id, string Type, string Text)>> WalkAsync(string below)
    {
        var values = new List<(string Id, string Type, string Text)>();
        var at = below;
        while (await NextAsync(at) is { } value && value.Id.StartsWith(below + ".", StringComparison.Ordinal))
        {
            values.Add(value);
            at = value.Id;
        }

        return values;
    }

    /// <summary>Ends the input, and gives the exit code.</summary>
    public async Task<int> EndAsync()
    {
        await _requests.Writer.CompleteAsync();
        return await _running;
    }

    public async ValueTask DisposeAsync() => await EndAsync();

    private async Task<(string Id, string Type, string Text)?> AskAsync(string command, string id)
    {
        await _writer.WriteAsync($"{command}\n{id}\n");
        var first = await LineAsync();
        return first == "NONE" ? null : (first, await LineAsync(), await LineAsync());
    }

    private async Task<string> LineAsync()
    {
        var line = await Task.WhenAny(_reader.ReadLineAsync(), EndedAsync());
        return await line ?? throw new InvalidOperationException("the answers ended");
    }

    private async Task<string?> EndedAsync()
    {
        var code = await _running;
        throw new InvalidOperationException($"pipeline snmp ended with {code}: {Error}");
    }
}
