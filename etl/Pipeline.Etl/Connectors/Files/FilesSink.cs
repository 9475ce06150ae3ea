using System.Buffers;
using System.Globalization;
using System.Text.Json;

namespace Pipeline.Etl.Connectors.Files;

/// <summary>Writes one task's messages to files in a folder.</summary>
/// <remarks>
/// Each line carries <c>pipelinetask</c> (database id and task), <c>pipelineposition</c> and <c>pipelinerun</c> (the
/// task's run). Changes of later lineages than the database's first carry <c>pipelinelineage</c>. After a crash the
/// runner resends all messages that were not acknowledged. Before the sink writes its first line to a file, it reads
/// the file's last lines backwards. It skips messages of its task that the file already has at or after the first
/// position that it sends. So a file holds each message once even across kill -9, and the sink needs no other state.
/// The search ends after <see cref="MaxScanBytes"/>. If other writers have appended more than that, repeats are
/// possible (with the same ids).
/// </remarks>
internal sealed class FilesSink : IMessageSink
{
    /// <summary>How many bytes at a file's end are searched for messages that were written before a crash.</summary>
    public const long MaxScanBytes = 256L << 20;

    private static readonly JsonEncodedText TaskAttribute = JsonEncodedText.Encode("pipelinetask");
    private static readonly JsonEncodedText PositionAttribute = JsonEncodedText.Encode("pipelineposition");
    private static readonly JsonEncodedText LeavesPositionAttribute = JsonEncodedText.Encode("pipelinebeside");
    private static readonly JsonEncodedText LineageAttribute = JsonEncodedText.Encode("pipelinelineage");
    private static readonly JsonEncodedText RunAttribute = JsonEncodedText.Encode("pipelinerun");
    private static readonly TargetMark NoMark = new(0, "", null);
    private static readonly SearchValues<char> NameCharacters = SearchValues.Create(
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_."
    );

    private readonly FilesConnector _connector;
    private readonly string _task;
    private readonly CloudEventJson _json = new();
    private readonly KeyValuePair<JsonEncodedText, string>[] _attributes = new KeyValuePair<JsonEncodedText, string>[5];
    private readonly ArrayBufferWriter<byte> _lines = new(64 * 1024);
    private readonly Dictionary<string, Dictionary<string, List<TargetMark>>> _written = new(
        StringComparer.OrdinalIgnoreCase
    );
    private readonly TaskRun _run;
    private long _firstPosition;

    public FilesSink(FilesConnector connector, SinkContext context)
    {
        _connector = connector;
        _task = $"{context.DatabaseId}/{context.Task}";
        _run = context.Run;
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
        var name = message.Destination;
        if (FindNameFault(name) is { } fault)
            return fault;

        if (message.Body.Length > _connector.Options.MaxMessageBytes)
        {
            return $"the body has {message.Body.Length} bytes; at most {_connector.Options.MaxMessageBytes} are allowed (maxMessageBytes)";
        }

        return _connector.Options.Create || File.Exists(_connector.PathOf(name))
            ? null
            : $"the file '{name}.jsonl' does not exist and 'create' is false";
    }

    /// <summary>Why a name cannot be a file name, or <see langword="null"/> if it can.</summary>
    internal static string? FindNameFault(string name) =>
        name.Length is 0 or > 200 || name.AsSpan().IndexOfAnyExcept(NameCharacters) >= 0 || name[0] == '.'
            ? $"'{name}' is not a file name: use at most 200 letters, digits, '-', '_' and '.'; the first must not be '.'"
            : null;

    public bool IsOversize(OutgoingMessage message) => message.Body.Length > _connector.Options.MaxMessageBytes;

    public async ValueTask<IReadOnlyList<MessageFailure>> SendAsync(
        MessageBatch batch,
        CancellationToken cancellationToken
    )
    {
        if (_firstPosition == 0 && batch.Messages.Count > 0 && !batch.LeavesPosition)
            _firstPosition = batch.Messages[0].Position;
        foreach (var messages in batch.Messages.GroupBy(m => m.Destination, StringComparer.OrdinalIgnoreCase))
        {
            await _connector
                .Open(messages.Key)
                .ExclusiveAsync(file => Write(file, messages, batch.LeavesPosition), cancellationToken)
                .ConfigureAwait(false);
        }

        return [];
    }

    public ValueTask DisposeAsync()
    {
        _json.Dispose();
        return ValueTask.CompletedTask;
    }

    private bool Write(LineFile file, IGrouping<string, OutgoingMessage> messages, bool leavesPosition)
    {
        Dictionary<string, List<TargetMark>>? written = null;
        if (!leavesPosition && !_written.TryGetValue(messages.Key, out written))
            _written[messages.Key] = written = FindWritten(file);
        _lines.ResetWrittenCount();
        foreach (var message in messages)
        {
            if (written is { Count: > 0 } && written.TryGetValue(message.Id, out var marks))
            {
                _run.JudgeRepeat(marks[^1], message);
                marks.RemoveAt(marks.Count - 1);
                if (marks.Count == 0)
                    written.Remove(message.Id);
                continue;
            }

            _json.Write(message, _lines, Attributes(message, leavesPosition));
            _lines.Write("\n"u8);
        }

        return _lines.WrittenCount == 0 || file.Append(_lines.WrittenSpan);
    }

    /// <summary>Who wrote a line, as attributes; valid until the next call.</summary>
    private ReadOnlySpan<KeyValuePair<JsonEncodedText, string>> Attributes(OutgoingMessage message, bool leavesPosition)
    {
        var count = 0;
        _attributes[count++] = new(TaskAttribute, _task);
        _attributes[count++] = new(PositionAttribute, message.Position.ToString(CultureInfo.InvariantCulture));
        if (_run.LineageOf(message.Position) is { Length: > 0 } lineage)
            _attributes[count++] = new(LineageAttribute, lineage);
        if (_run.Id.Length > 0)
            _attributes[count++] = new(RunAttribute, _run.Id);
        if (leavesPosition)
            _attributes[count++] = new(LeavesPositionAttribute, "true");
        return _attributes.AsSpan(0, count);
    }

    /// <summary>This task's messages, by id, that an unacknowledged attempt has left at the file's end.</summary>
    private Dictionary<string, List<TargetMark>> FindWritten(LineFile file)
    {
        var written = new Dictionary<string, List<TargetMark>>(StringComparer.Ordinal);
        file.ReadBackwards(
            MaxScanBytes,
            line =>
            {
                // In another lineage, the same id and position belong to another change.
                if (
                    !TryRead(line.Span, out var id, out var task, out var mark, out var leavesPosition)
                    || task != _task
                )
                {
                    return true;
                }

                if (leavesPosition || mark.Lineage != _run.LineageOf(mark.Position))
                    return true;
                if (mark.Position < _firstPosition)
                    return false;
                if (!written.TryGetValue(id!, out var marks))
                    written[id!] = marks = [];
                marks.Add(mark);
                return true;
            }
        );
        return written;
    }

    private static bool TryRead(
        ReadOnlySpan<byte> line,
        out string? id,
        out string? task,
        out TargetMark mark,
        out bool leavesPosition
    )
    {
        (id, task, mark, leavesPosition) = (null, null, NoMark, false);
        (long position, var lineage, string? run, DateTimeOffset? time) = (0, "", null, null);
        var reader = new Utf8JsonReader(line);
        try
        {
            if (!reader.Read() || reader.TokenType != JsonTokenType.StartObject)
                return false;
            while (reader.Read() && reader.TokenType == JsonTokenType.PropertyName)
            {
                if (reader.ValueTextEquals("id"u8))
                    id = Text(ref reader);
                else if (reader.ValueTextEquals("time"u8))
                    time = Time(ref reader);
                else if (reader.ValueTextEquals("pipelinetask"u8))
                    task = Text(ref reader);
                else if (reader.ValueTextEquals("pipelineposition"u8))
                    _ = long.TryParse(Text(ref reader), NumberStyles.None, CultureInfo.InvariantCulture, out position);
                else if (reader.ValueTextEquals("pipelinelineage"u8))
                    lineage = Text(ref reader) ?? "";
                else if (reader.ValueTextEquals("pipelinerun"u8))
                    run = Text(ref reader);
                else if (reader.ValueTextEquals("pipelinebeside"u8))
                    leavesPosition = Text(ref reader) is not null;
                else if (reader.ValueTextEquals("data"u8))
                    break;
                else
                    reader.Skip();
            }
        }
        catch (JsonException)
        {
            // Another writer wrote this line.
            return false;
        }

        mark = new TargetMark(position, lineage, run) { Time = time };
        return id is not null && task is not null && position > 0;
    }

    private static DateTimeOffset? Time(ref Utf8JsonReader reader) =>
        reader.Read() && reader.TokenType == JsonTokenType.String && reader.TryGetDateTimeOffset(out var time)
            ? time
            : null;

    private static string? Text(ref Utf8JsonReader reader)
    {
        reader.Read();
        return reader.TokenType == JsonTokenType.String ? reader.GetString() : null;
    }
}
