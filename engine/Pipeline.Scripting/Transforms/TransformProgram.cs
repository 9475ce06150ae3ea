using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using Pipeline.Scripting.Runtime;

namespace Pipeline.Scripting;

#pragma warning disable CS1591, CA1708, IDE1006 // The names are those that scripts use.

/// <summary>The base class of a compiled transform: the names in its scope. One thread at a time.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
[SuppressMessage("Naming", "CA1707", Justification = "Scripts use these names.")]
public abstract class TransformProgram
{
    private readonly JsonBodyWriter _body = new();
    private readonly ScriptGuard.Run _guard = new();
    private ScriptContext _context = null!;
    private ScriptDocument _document;
    private ScriptValue? _doc;
    private ScriptValue? _metadata;
    private int _messages;
    private bool _writing;

    protected ScriptValue? doc => _doc;

    protected string id => _document.Id;

    protected string collection => _document.Collection;

    protected bool isDeleted => _document.IsDeleted;

    protected ScriptValue? metadata => _metadata ??= ScriptMetadata.Of(_document);

    /// <summary>The script's statements.</summary>
    protected abstract void RunScript();

    protected ScriptValue? load(ScriptValue? id) =>
        id is not null && _context.Documents is { } documents && documents.TryLoad(id.Text, out var found)
            ? new WholeDocumentValue(found)
            : null;

    /// <summary>
    /// The full metadata of the current document or of a loaded one; for any other object the value stored under
    /// <c>@metadata</c>; null for null.
    /// </summary>
    protected ScriptValue? getMetadata(ScriptValue? document) =>
        document switch
        {
            null => null,
            WholeDocumentValue whole => whole.Metadata,
            _ => ReferenceEquals(document, _doc) ? metadata : document.Get("@metadata"u8),
        };

    /// <summary>
    /// An attachment of the current document with its content as Base64 and, if it is text or JSON, as <c>Text</c>;
    /// null if there is none.
    /// </summary>
    protected ScriptValue? loadAttachment(ScriptValue? name)
    {
        if (
            name is null
            || _document.IsDeleted
            || _context.Documents?.LoadAttachment(_document.Id, name.Text, _context.Limits.MaxBodyBytes)
                is not { } attachment
        )
        {
            return null;
        }

        var content = attachment.Content.Span;
        var type = attachment.ContentType;
        var isText =
            type.StartsWith("text/", StringComparison.OrdinalIgnoreCase)
            || type.Contains("json", StringComparison.OrdinalIgnoreCase);
        return new WrappedValue(
            new Dictionary<string, ScriptValue?>
            {
                ["Name"] = attachment.Name,
                ["ContentType"] = type,
                ["Hash"] = attachment.Hash,
                ["Size"] = content.Length,
                ["Base64"] = Convert.ToBase64String(content),
                ["Text"] = isText ? System.Text.Encoding.UTF8.GetString(content) : null,
            }
        );
    }

    protected void send(
        string destination,
        ScriptValue? body,
        ScriptValue? key = null,
        ScriptValue? id = null,
        ScriptValue? type = null,
        ScriptValue? source = null
    )
    {
        Begin(destination);
        _body.Value(body);
        Finish(destination, key, id, type, source);
    }

    protected void send<T>(
        string destination,
        T body,
        ScriptValue? key = null,
        ScriptValue? id = null,
        ScriptValue? type = null,
        ScriptValue? source = null
    )
    {
        Begin(destination);
        JsonTypeWriter<T>.Instance.Write(_body, body);
        Finish(destination, key, id, type, source);
    }

    internal void Run(ScriptContext context, CancellationToken cancellationToken)
    {
        _context = context;
        _document = context.Document;
        _doc = DocumentValue.Create(_document.Body.Root);
        _metadata = null;
        _messages = 0;
        _writing = false;
        ScriptGuard.Begin(_guard, context.Limits, cancellationToken);
        try
        {
            RunScript();
            _guard.Finish();
        }
        finally
        {
            ScriptGuard.End(_guard);
            _context = null!;
            _document = default;
            _doc = null;
            _metadata = null;
        }
    }

    private void Begin(string destination)
    {
        if (string.IsNullOrEmpty(destination))
            throw new InvalidOperationException("send was called without a destination.");
        if (_writing)
        {
            throw new InvalidOperationException(
                "send was called while the body of another send is being written; call ToList() on the sequence first."
            );
        }

        _writing = true;
        ScriptGuard.Step();
        if (++_messages > _context.Limits.MaxMessages)
        {
            throw new ScriptLimitException(
                nameof(ScriptLimits.MaxMessages),
                _context.Limits.MaxMessages.ToString(System.Globalization.CultureInfo.InvariantCulture)
            );
        }

        _body.Reset(_context.Limits.MaxBodyBytes);
    }

    private void Finish(string destination, ScriptValue? key, ScriptValue? id, ScriptValue? type, ScriptValue? source)
    {
        _body.CheckLimit();
        _writing = false;
        _context.Output.Send(
            new ScriptMessage
            {
                Destination = destination,
                Body = _body.Written,
                Key = key?.Text,
                Id = id?.Text,
                Type = type?.Text,
                Source = source?.Text,
            }
        );
    }
}
