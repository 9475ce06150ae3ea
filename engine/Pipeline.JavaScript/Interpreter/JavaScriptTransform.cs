using System.Text;
using System.Text.RegularExpressions;
using Jint;
using Jint.Native;
using Jint.Native.Object;
using Pipeline.Scripting;

namespace Pipeline.JavaScript;

/// <summary>A transform in JavaScript, with RavenDB's names.</summary>
internal sealed partial class JavaScriptTransform(string source) : TransformScript(source)
{
    private const int MaxEngines = 8;
    private readonly RunnerPool<Runner> _runners = new(MaxEngines, () => new Runner(source));

    protected override void Execute(ScriptContext context, CancellationToken cancellationToken) =>
        _runners.Run(r =>
        {
            r.Run(context, cancellationToken);
            return true;
        });

    [GeneratedRegex(@"\bloadTo([A-Za-z0-9_$]+)", RegexOptions.CultureInvariant)]
    private static partial Regex Destinations();

    private sealed class Runner : IDisposable
    {
        private static readonly string[] Known = ["Id", "Type", "Source", "PartitionKey", "RoutingKey"];
        private readonly ScriptEngine _engine;
        private readonly JsonOutput _output = new();
        private ScriptContext _context = null!;
        private int _messages;

        public Runner(string source)
        {
            _engine = new ScriptEngine(
                [(null, source)],
                "isDeleted, collection",
                engine =>
                {
                    DocumentFunctions.Add(engine, () => _context.Documents);
                    engine.Add(
                        "loadTo",
                        (_, arguments) =>
                            Send(
                                DocumentFunctions.Text(arguments, 0) ?? "",
                                arguments.AsSpan(Math.Min(1, arguments.Length)),
                                "loadTo('Name', …)"
                            )
                    );
                    foreach (var name in Destinations().Matches(source).Select(m => m.Groups[1].Value).Distinct())
                        engine.Add("loadTo" + name, (_, arguments) => Send(name, arguments, "loadTo" + name));
                    engine.Add("loadAttachment", (_, arguments) => Attachment(DocumentFunctions.Text(arguments, 0)));
                }
            );
        }

        public void Run(ScriptContext context, CancellationToken cancellationToken)
        {
            (_context, _messages) = (context, 0);
            var document = context.Document;
            _engine.Time.Now = document.LastModified;
            try
            {
                _engine.Run(
                    new WholeDocument(_engine.Engine, document),
                    [document.IsDeleted ? JsBoolean.True : JsBoolean.False, JsString.Create(document.Collection)],
                    context.Limits,
                    cancellationToken
                );
            }
            finally
            {
                _context = null!;
            }
        }

        public void Dispose()
        {
            _engine.Dispose();
            _output.Dispose();
        }

        private JsValue Send(string destination, ReadOnlySpan<JsValue> arguments, string name)
        {
            if (destination.Length == 0 || arguments.Length == 0 || arguments[0].IsUndefined())
            {
                throw new InvalidOperationException(
                    $"{name} takes an object, and attributes after it: {string.Join(", ", Known)}"
                );
            }

            var limits = _context.Limits;
            if (++_messages > limits.MaxMessages)
            {
                throw new ScriptLimitException(
                    nameof(ScriptLimits.MaxMessages),
                    limits.MaxMessages.ToString(System.Globalization.CultureInfo.InvariantCulture)
                );
            }

            var attributes = new Dictionary<string, string>(StringComparer.Ordinal);
            if (arguments.Length > 1 && arguments[1] is ObjectInstance given)
            {
                foreach (var key in given.GetOwnPropertyKeys(Jint.Runtime.Types.String))
                {
                    var attribute = key.ToString();
                    if (!Known.Contains(attribute))
                    {
                        throw new InvalidOperationException(
                            $"{name} has no attribute '{attribute}'; it has {string.Join(", ", Known)}"
                        );
                    }

                    if (given.Get(key) is var value && !value.IsNull() && !value.IsUndefined())
                        attributes[attribute] = value.ToString();
                }
            }

            _context.Output.Send(
                new ScriptMessage
                {
                    Destination = destination,
                    Body = _output.Write(arguments[0], limits.MaxBodyBytes, keepsCollection: false).Span,
                    Key = attributes.GetValueOrDefault("PartitionKey") ?? attributes.GetValueOrDefault("RoutingKey"),
                    Id = attributes.GetValueOrDefault("Id"),
                    Type = attributes.GetValueOrDefault("Type"),
                    Source = attributes.GetValueOrDefault("Source"),
                }
            );
            return JsValue.Undefined;
        }

        private JsValue Attachment(string? name)
        {
            var document = _context.Document;
            if (
                name is null
                || document.IsDeleted
                || _context.Documents?.LoadAttachment(document.Id, name, _context.Limits.MaxBodyBytes)
                    is not { } attachment
            )
            {
                return JsValue.Null;
            }

            var result = new JsObject(_engine.Engine);
            result.Set("Name", JsString.Create(attachment.Name));
            result.Set("ContentType", JsString.Create(attachment.ContentType));
            result.Set("Hash", JsString.Create(attachment.Hash));
            result.Set("Size", JsNumber.Create(attachment.Content.Length));
            result.Set("Base64", JsString.Create(Convert.ToBase64String(attachment.Content.Span)));
            var isText =
                attachment.ContentType.StartsWith("text/", StringComparison.OrdinalIgnoreCase)
                || attachment.ContentType.Contains("json", StringComparison.OrdinalIgnoreCase);
            if (isText)
                result.Set("Text", JsString.Create(Encoding.UTF8.GetString(attachment.Content.Span)));
            return result;
        }
    }
}
