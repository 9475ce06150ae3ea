using System.Buffers;
using System.Text;
using System.Text.Json;
using Pipeline.Etl.Configuration;
using Pipeline.Etl.Connectors;
using Pipeline.Scripting;
using Pipeline.Subscriptions;

namespace Pipeline.Configuration.Testing;

/// <summary>
/// Writes a test case from a real document: the document, what the transform loaded for it, and the messages that the
/// transform makes now.
/// </summary>
internal sealed class CaseWriter(EtlTaskConfiguration task, IFeedSnapshot snapshot) : IScriptDocuments
{
    private static readonly UTF8Encoding Strict = new(
        encoderShouldEmitUTF8Identifier: false,
        throwOnInvalidBytes: true
    );
    private readonly Dictionary<string, ScriptDocument> _loaded = new(StringComparer.OrdinalIgnoreCase);
    private readonly SortedDictionary<(string Id, string Name), ScriptAttachment> _attachments = [];

    /// <inheritdoc/>
    public bool TryLoad(string id, out ScriptDocument document)
    {
        if (!snapshot.TryLoad(id, out document))
            return false;
        _loaded[document.Id] = document;
        return true;
    }

    /// <inheritdoc/>
    public ScriptAttachment? LoadAttachment(string id, string name, int maxBytes)
    {
        var attachment = snapshot.LoadAttachment(id, name, maxBytes);
        if (attachment is not null)
            _attachments[(id, attachment.Name)] = attachment;
        return attachment;
    }

    /// <summary>The case's name.</summary>
    public static string NameOf(in ScriptDocument document) => "recorded: " + document.Id;

    /// <summary>The case as an item of a list, its lines indented so far.</summary>
    public string Write(
        in ScriptDocument document,
        string database,
        TransformScript script,
        int indent,
        CancellationToken cancellationToken
    )
    {
        _loaded.Clear();
        _attachments.Clear();
        var trial = TransformTrial.Run(database, task, script, this, [document], cancellationToken);
        var text = new StringBuilder();
        text.Append(' ', indent).Append("- name: ").Append(YamlText.Expanded(NameOf(document))).Append('\n');
        text.Append(' ', indent + 2).Append("document:\n");
        Append(text, indent + 4, document);
        var id = document.Id;
        ScriptDocument[] others =
        [
            .. _loaded
                .Values.Where(d => !string.Equals(d.Id, id, StringComparison.OrdinalIgnoreCase))
                .OrderBy(d => d.Id, StringComparer.Ordinal),
        ];
        if (others.Length > 0)
            text.Append(' ', indent + 2).Append("loaded:\n");
        foreach (var other in others)
            AppendItem(text, indent + 4, () => Append(text, indent + 6, other));
        if (trial.Error is { } error)
            YamlText.Append(text, indent + 2, "error", error.Message);
        else if (trial.Messages.Count == 0)
            text.Append(' ', indent + 2).Append("expect: []\n");
        else
            text.Append(' ', indent + 2).Append("expect:\n");
        foreach (var message in trial.Messages)
            AppendItem(text, indent + 4, () => Append(text, indent + 6, message));
        return text.ToString();
    }

    private static void AppendItem(StringBuilder text, int indent, Action append)
    {
        var start = text.Length;
        append();
        text[start + indent] = '-';
    }

    private void Append(StringBuilder text, int indent, ScriptDocument document)
    {
        var json = new ArrayBufferWriter<byte>();
        if (!snapshot.TryWriteJson(document.Version.Position, json))
            throw new RecordingException($"The document '{document.Id}' is gone.");
        using var parsed = JsonDocument.Parse(json.WrittenMemory);
        YamlText.Append(text, indent, "id", document.Id);
        YamlText.Append(text, indent, "collection", document.Collection);
        if (parsed.RootElement.TryGetProperty("@metadata", out var metadata))
        {
            JsonProperty[] kept =
            [
                .. metadata.EnumerateObject().Where(p => p.Name is not ("@id" or "@collection" or "@change-vector")),
            ];
            if (kept.Length > 0)
                text.Append(' ', indent).Append("metadata:\n");
            foreach (var property in kept)
                YamlText.Append(text, indent + 2, property.Name, property.Value);
        }

        JsonProperty[] body = [.. parsed.RootElement.EnumerateObject().Where(p => p.Name != "@metadata")];
        text.Append(' ', indent).Append(body.Length == 0 ? "body: {}\n" : "body:\n");
        foreach (var property in body)
            YamlText.Append(text, indent + 2, property.Name, property.Value);
        ScriptAttachment[] attachments = [.. _attachments.Where(a => a.Key.Id == document.Id).Select(a => a.Value)];
        if (attachments.Length > 0)
            text.Append(' ', indent).Append("attachments:\n");
        foreach (var attachment in attachments)
            AppendItem(text, indent + 2, () => Append(text, indent + 4, attachment));
    }

    private static void Append(StringBuilder text, int indent, ScriptAttachment attachment)
    {
        YamlText.Append(text, indent, "name", attachment.Name);
        if (attachment.ContentType.Length > 0)
            YamlText.Append(text, indent, "contentType", attachment.ContentType);
        if (TextOf(attachment) is { } content)
            YamlText.Append(text, indent, "text", content);
        else
            YamlText.Append(text, indent, "base64", Convert.ToBase64String(attachment.Content.Span));
    }

    // Only what a person reads, and what comes back as the same bytes.
    private static string? TextOf(ScriptAttachment attachment)
    {
        try
        {
            var text = Strict.GetString(attachment.Content.Span);
            return
                text.Length > 0
                && text.All(c => c is '\n' or '\t' || !char.IsControl(c) && c is not ('\uFEFF' or '\u2028' or '\u2029'))
                ? text
                : null;
        }
        catch (DecoderFallbackException)
        {
            return null;
        }
    }

    private void Append(StringBuilder text, int indent, OutgoingMessage message)
    {
        YamlText.Append(text, indent, "destination", message.Destination);
        if (message.Key is { } key)
            YamlText.Append(text, indent, "key", key);

        // Values that the task fills in are the same for every message and show nothing about the script.
        if (!message.Id.StartsWith($"{TestDocuments.DatabaseId}/", StringComparison.Ordinal))
            YamlText.Append(text, indent, "id", message.Id);
        if (message.Type != (task.Type ?? "pipeline.document.put"))
            YamlText.Append(text, indent, "type", message.Type);
        using var body = JsonDocument.Parse(message.Body.IsEmpty ? "null"u8.ToArray() : message.Body);
        YamlText.Append(text, indent, "body", body.RootElement);
    }
}
