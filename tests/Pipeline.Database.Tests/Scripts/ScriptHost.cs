using System.Text;
using Pipeline.Scripting;
using Xunit;

namespace Pipeline.Database.Tests.Scripts;

/// <summary>Runs a script over a document and keeps its messages as text.</summary>
internal sealed class ScriptHost : IScriptOutput, IScriptDocuments
{
    public Dictionary<string, ScriptDocument> Documents { get; } = new(StringComparer.OrdinalIgnoreCase);

    public List<string> Messages { get; } = [];

    public List<string> Bodies { get; } = [];

    public static TransformScript Compile(string source, params ScriptHelper[] helpers)
    {
        var result = ScriptCompiler.Shared.CompileTransform(source, helpers);
        Assert.True(result.Succeeded, string.Join("\n", result.Errors));
        return result.Script!;
    }

    public static string Run(string source, string json, string id = "docs/1")
    {
        var host = new ScriptHost();
        host.Run(Compile(source), ScriptDocument.FromJson(id, json));
        return string.Join("\n", host.Messages);
    }

    public void Run(TransformScript script, ScriptDocument document, ScriptLimits? limits = null) =>
        script.Run(new ScriptContext(this, this, limits) { Document = document });

    public void Send(in ScriptMessage message)
    {
        var body = Encoding.UTF8.GetString(message.Body);
        Bodies.Add(body);
        Messages.Add(
            $"{message.Destination}{(message.Key is null ? "" : $" key={message.Key}")}{(message.Id is null ? "" : $" id={message.Id}")}"
                + $"{(message.Type is null ? "" : $" type={message.Type}")}{(message.Source is null ? "" : $" source={message.Source}")} {body}"
        );
    }

    public bool TryLoad(string id, out ScriptDocument document) => Documents.TryGetValue(id, out document);
}
