using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;

namespace Pipeline.Etl.Connectors.Files;

/// <summary>One task's messages to a folder.</summary>
/// <remarks>
/// Each line carries, besides the CloudEvents attributes, <c>pipelinetask</c> (database id and task) and <c>pipelineposition</c>. After a crash the runner sends
/// again what it has not acknowledged; before its first line to a file the sink reads that file's last lines backwards, and messages of its task that stand
/// there at or after the position it begins with are not written again. So a file holds each message once even across kill -9, with nothing kept beside it.
/// The search ends after <see cref="MaxScanBytes"/>; where other writers have put more than that behind, repeats are possible (ids stay the same).
/// </remarks>
internal sealed class FilesSink : IMessageSink
{
    /// <summary>How much of a file's end is searched for messages that were written before a crash.</summary>
    public const long MaxScanBytes = 256L << 20;

    private static readonly JsonEncodedText TaskAttribute = JsonEncodedText.Encode("pipelinetask");
    private static readonly JsonEncodedText PositionAttribute = JsonEncodedText.Encode("pipelineposition");
    private static readonly JsonEncodedText BesideAttribute = JsonEncodedText.Encode("pipelinebeside");
    private static readonly SearchValues<char> NameCharacters =
        SearchValues.Create("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");

    private readonly FilesConnector _connector;
    private readonly string _task;
    private readonly CloudEventJson _json = new();
    private readonly ArrayBufferWriter<byte> _lines = new(64 * 1024);
    private readonly Dictionary<string, Dictionary<string, int>> _written = new(StringComparer.OrdinalIgnoreCase);
    private long _firstPosition;

    public FilesSink(FilesConnector connector, SinkContext context)
    {
        _connector = connector;
        _task = $"{context.DatabaseId}/{context.Task}";
    }

    public ValueTask<long?> ConnectAsync(CancellationToken cancellationToken)
    {
        _connector.EnsureFolder();
        _written.Clear();
        _firstPosition = 0;
        return ValueTask.FromResult<long?>(null);
    }

    public string? FindFault(OutgoingMessage message)
    {
        string name = message.Destination;
        if (name.Length is 0 or > 200 || name.AsSpan().IndexOfAnyExcept(NameCharacters) >= 0 || name[0] == '.')
        {
            return $"'{name}' is not a name for a file: it must be of letters, digits, '-', '_' and '.', at most 200, and not begin with '.'";
        }

        if (message.Body.Length > _connector.Options.MaxMessageBytes)
        {
            return $"the body has {message.Body.Length} bytes, the most is {_connector.Options.MaxMessageBytes} (maxMessageBytes)";
        }

        return _connector.Options.Create || File.Exists(_connector.PathOf(name)) ? null : $"the file '{name}.jsonl' does not exist and 'create' is false";
    }

    public bool IsOversize(OutgoingMessage message) => message.Body.Length > _connector.Options.MaxMessageBytes;

    public async ValueTask<IReadOnlyList<MessageFailure>> SendAsync(MessageBatch batch, CancellationToken cancellationToken)
    {
        if (_firstPosition == 0 && batch.Messages.Count > 0 && !batch.IsBeside) _firstPosition = batch.Messages[0].Position;
        foreach (IGrouping<string, OutgoingMessage> messages in batch.Messages.GroupBy(m => m.Destination, StringComparer.OrdinalIgnoreCase))
        {
            await _connector.Open(messages.Key).ExclusiveAsync(file => Write(file, messages, batch.IsBeside), cancellationToken).ConfigureAwait(false);
        }

        return [];
    }

    public ValueTask DisposeAsync()
    {
        _json.Dispose();
        return ValueTask.CompletedTask;
    }

    private bool Write(LineFile file, IGrouping<string, OutgoingMessage> messages, bool isBeside)
    {
        Dictionary<string, int>? written = null;
        if (!isBeside && !_written.TryGetValue(messages.Key, out written)) _written[messages.Key] = written = FindWritten(file);
        _lines.ResetWrittenCount();
        foreach (OutgoingMessage message in messages)
        {
            if (written is { Count: > 0 } && written.TryGetValue(message.Id, out int times))
            {
                if (times > 1) written[message.Id] = times - 1;
                else written.Remove(message.Id);
                continue;
            }

            string position = message.Position.ToString(CultureInfo.InvariantCulture);
            if (isBeside) _json.Write(message, _lines, new(TaskAttribute, _task), new(PositionAttribute, position), new(BesideAttribute, "true"));
            else _json.Write(message, _lines, new(TaskAttribute, _task), new(PositionAttribute, position));
            _lines.Write("\n"u8);
        }

        return _lines.WrittenCount == 0 || file.Append(_lines.WrittenSpan);
    }

    /// <summary>Ids of this task's messages that stand at the file's end from an attempt that was not acknowledged, with how often.</summary>
    private Dictionary<string, int> FindWritten(LineFile file)
    {
        var ids = new Dictionary<string, int>(StringComparer.Ordinal);
        file.ReadBackwards(MaxScanBytes, line =>
        {
            if (!TryRead(line.Span, out string? id, out string? task, out long position, out bool isBeside) || task != _task) return true;
            if (isBeside) return true;
            if (position < _firstPosition) return false;
            ids[id!] = ids.GetValueOrDefault(id!) + 1;
            return true;
        });
        return ids;
    }

    private static bool TryRead(ReadOnlySpan<byte> line, out string? id, out string? task, out long position, out bool isBeside)
    {
        (id, task, position, isBeside) = (null, null, 0, false);
        var reader = new Utf8JsonReader(line);
        try
        {
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject) return false;
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                if (reader.ValueTextEquals("id"u8)) id = Text(ref reader);
                else if (reader.ValueTextEquals("pipelinetask"u8)) task = Text(ref reader);
                else if (reader.ValueTextEquals("pipelineposition"u8)) _ = long.TryParse(Text(ref reader), NumberStyles.None, CultureInfo.InvariantCulture, out position);
                else if (reader.ValueTextEquals("pipelinebeside"u8)) isBeside = Text(ref reader) is not null;
                else if (reader.ValueTextEquals("data"u8)) break;
                else reader.Skip();
            }
        }
        catch (JsonException)
        {
            // A line that somebody else wrote.
            return false;
        }

        return id is not null && task is not null && position > 0;
    }

    private static string? Text(ref Utf8JsonReader reader)
    {
        reader.Read();
        return reader.TokenType == JsonTokenType.String ? reader.GetString() : null;
    }
}
