using System.Buffers;
using System.Globalization;
using System.Text;
using System.Text.Json;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Etl.Transforms;
using Pipeline.Scripting;
using Pipeline.Subscriptions;
using Pipeline.Yaml;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// Tries a script on documents of a database in place of a task's transform. Sends and stores nothing. Thread-safe.
/// </summary>
/// <param name="feed">The database.</param>
/// <param name="task">The task, whose limits, helpers and options apply.</param>
/// <param name="connection">The connection that it sends to.</param>
internal sealed class TransformBench(IChangeFeed feed, EtlTaskConfiguration task, ConnectionConfiguration connection)
{
    /// <summary>The name under which errors name the script that is tried.</summary>
    public const string ScriptName = "script";

    private Compiled? _own;

    /// <summary>Tries a script on documents.</summary>
    /// <param name="script">The script; <see langword="null"/> for the task's own transform.</param>
    /// <param name="ids">
    /// The documents; where there are none, the last <paramref name="count"/> ones that the task takes.
    /// </param>
    /// <param name="count">How many documents.</param>
    /// <param name="cancellationToken">Ends it.</param>
    public BenchResult Try(
        string? script,
        IReadOnlyList<string> ids,
        int count,
        CancellationToken cancellationToken = default
    )
    {
        var (next, after, faults) = script is null ? Own : Compile(script);
        var before = script is null ? null : Own.Script;
        using var last = ids.Count > 0 ? null : LastDocuments.Read(feed, task, "bench/" + task.Name, count);
        using var named = last is null ? feed.OpenSnapshot("bench") : null;
        var snapshot = last?.Snapshot ?? named!;
        var documents = new List<BenchDocument>();
        foreach (var document in last?.Documents ?? Find(snapshot, ids))
        {
            var first = before is null ? null : Run(task, before, snapshot, document, cancellationToken);
            var second = after is null ? null : Run(next, after, snapshot, document, cancellationToken);
            documents.Add(
                new BenchDocument(
                    document.Id,
                    document.Collection,
                    document.Version.Position,
                    BodyOf(snapshot, document),
                    first,
                    second,
                    first is not null && second is not null && !IsSame(first, second)
                )
            );
        }

        documents.Reverse();
        return new BenchResult(task.Name, faults, documents.Count, documents.Count(d => d.IsDifferent), documents);
    }

    /// <summary>What a script gives for one document, which need not be stored.</summary>
    /// <param name="script">The script; <see langword="null"/> for the task's own transform.</param>
    /// <param name="document">The document.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ConfigurationException">The script does not compile.</exception>
    public BenchOutcome Try(string? script, ScriptDocument document, CancellationToken cancellationToken = default)
    {
        var (next, compiled) = CompileOrThrow(script);
        using var snapshot = feed.OpenSnapshot("bench");
        return Run(next, compiled, snapshot, document, cancellationToken);
    }

    /// <summary>A test case that expects what a script gives for a stored document, as YAML.</summary>
    /// <param name="script">The script; <see langword="null"/> for the task's own transform.</param>
    /// <param name="id">The document.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <exception cref="ConfigurationException">The script does not compile.</exception>
    /// <exception cref="RecordingException">There is no such document.</exception>
    public string WriteCase(string? script, string id, CancellationToken cancellationToken = default)
    {
        var (next, compiled) = CompileOrThrow(script);
        using var snapshot = feed.OpenSnapshot("bench");
        if (!snapshot.TryLoad(id, out var document))
            throw new RecordingException($"there is no document '{id}'");
        return new CaseWriter(next, snapshot).Write(document, feed.DatabaseName, compiled, 0, cancellationToken);
    }

    /// <summary>Test cases that expect what a script gives for the last documents that the task takes.</summary>
    /// <param name="script">The script; <see langword="null"/> for the task's own transform.</param>
    /// <param name="count">How many documents.</param>
    /// <param name="cancellationToken">Ends it.</param>
    /// <returns>The cases by name, as YAML, oldest document first.</returns>
    /// <exception cref="ConfigurationException">The script does not compile.</exception>
    public IReadOnlyList<(string Name, string Yaml)> WriteCases(
        string? script,
        int count,
        CancellationToken cancellationToken = default
    )
    {
        var (next, compiled) = CompileOrThrow(script);
        using var last = LastDocuments.Read(feed, task, "record/" + task.Name, count);
        var writer = new CaseWriter(next, last.Snapshot);
        return
        [
            .. last.Documents.Select(d =>
                (CaseWriter.NameOf(d), writer.Write(d, feed.DatabaseName, compiled, 0, cancellationToken))
            ),
        ];
    }

    /// <summary>The key <c>transform</c> of the task's YAML with a script.</summary>
    public static string WriteYaml(string script)
    {
        var text = new StringBuilder("transform: |\n");
        foreach (var line in script.TrimEnd().ReplaceLineEndings("\n").Split('\n'))
            text.Append(line.Length == 0 ? "" : "  ").Append(line).Append('\n');
        return text.ToString();
    }

    /// <summary>The task's own transform, compiled once for all documents that are tried.</summary>
    private Compiled Own => _own ??= Compile(null);

    private (EtlTaskConfiguration Task, TransformScript Script) CompileOrThrow(string? script)
    {
        var (next, compiled, faults) = script is null ? Own : Compile(script);
        return compiled is not null
            ? (next, compiled)
            : throw new ConfigurationException([
                .. faults.Select(f => new Diagnostic(ScriptName, f.Line, f.Column, f.Message, f.Suggestion)),
            ]);
    }

    private Compiled Compile(string? script)
    {
        var next = script is null ? task : task.WithScript(new ScriptText(script, ScriptName));
        var found = new List<Diagnostic>();
        var compiled = TransformCompiler.Compile(next, found);
        if (compiled is not null && next.Class is null)
            TransformCompiler.CheckDestinations(next, connection, found);
        else if (compiled is null && found.Count == 0)
            found.Add(new Diagnostic(ScriptName, 1, 1, "the script is empty", null));
        var prefix = $"transform of '{task.Name}': ";
        return new Compiled(
            next,
            compiled,
            [
                .. found.Select(d => new BenchFault(
                    d.Line,
                    d.Column,
                    d.Message.StartsWith(prefix, StringComparison.Ordinal) ? d.Message[prefix.Length..] : d.Message,
                    d.Suggestion
                )),
            ]
        );
    }

    private static List<ScriptDocument> Find(IFeedSnapshot snapshot, IReadOnlyList<string> ids)
    {
        var found = new List<ScriptDocument>();
        foreach (var id in ids)
        {
            if (snapshot.TryLoad(id, out var document))
                found.Add(document);
        }

        return found;
    }

    private BenchOutcome Run(
        EtlTaskConfiguration tried,
        TransformScript script,
        IFeedSnapshot snapshot,
        ScriptDocument document,
        CancellationToken cancellationToken
    )
    {
        var trial = TransformTrial.Run(
            new MessageCollector(tried, feed.DatabaseId, feed.DatabaseName, () => feed.Lineages),
            tried,
            script,
            snapshot,
            [document],
            cancellationToken
        );
        return new BenchOutcome(
            trial.NotTaken,
            trial.Error is null ? null : Describe(tried, trial.Error),
            [.. trial.Messages.Select(Describe)]
        );
    }

    private static BenchError Describe(EtlTaskConfiguration tried, Exception error) =>
        error is ScriptRuntimeException script
            ? new BenchError(
                script.Message,
                script.ScriptSource,
                script.Line,
                script.Column,
                tried.Locate(script) is var (file, line, column)
                    ? string.Create(CultureInfo.InvariantCulture, $"{Path.GetFileName(file)}:{line}:{column}")
                    : null
            )
            : new BenchError(error.Message, null, 0, 0, null);

    private static BenchMessage Describe(OutgoingMessage message) =>
        new(
            message.Destination,
            message.Key,
            message.Id,
            message.Type,
            message.Source,
            message.Subject,
            message.Time,
            message.Body.IsEmpty ? null : JsonElement.Parse(message.Body.Span)
        );

    private static JsonElement BodyOf(IFeedSnapshot snapshot, ScriptDocument document)
    {
        var json = new ArrayBufferWriter<byte>();
        return snapshot.TryWriteJson(document.Version.Position, json)
            ? JsonElement.Parse(json.WrittenSpan)
            : throw new RecordingException($"the document '{document.Id}' is gone");
    }

    private static bool IsSame(BenchOutcome one, BenchOutcome other) =>
        one.NotTaken == other.NotTaken
        && one.Error?.Message == other.Error?.Message
        && one.Messages.Count == other.Messages.Count
        && one.Messages.Zip(other.Messages).All(m => IsSame(m.First, m.Second));

    private static bool IsSame(BenchMessage one, BenchMessage other) =>
        one with { Body = null } == other with { Body = null } && one.Body?.GetRawText() == other.Body?.GetRawText();

    private sealed record Compiled(
        EtlTaskConfiguration Task,
        TransformScript? Script,
        IReadOnlyList<BenchFault> Faults
    );
}
