using Pipeline.Etl.Configuration;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks what types alone cannot express about test cases, and records their places in the file.</summary>
internal sealed class TestCaseCheck(SettingsBinder binder)
{
    /// <summary>Checks the cases in the task's own <c>tests</c>.</summary>
    public void Check(EtlTaskConfiguration task) => Check(task, task.Tests);

    /// <summary>Checks cases of the task that this binder has read.</summary>
    public void Check(EtlTaskConfiguration task, IReadOnlyList<TestCaseConfiguration> cases)
    {
        var names = new HashSet<string>(task.Tests.Except(cases).Select(c => c.Name), StringComparer.Ordinal);
        foreach (var test in cases)
        {
            var place = binder.NodeOf(test);
            (test.File, test.Line, test.Column) = (binder.File, place.Line, place.Column);
            test.Open = [.. Open(place)];
            if (test.Name.Length == 0 && binder.FindNode(test, "name") is ScalarNode open)
                test.Name = open.Raw;
            if (binder.FindNode(test, "name") is ScalarNode { IsNull: false } name && !names.Add(test.Name))
                binder.Report(name, $"the case '{test.Name}' is defined twice", "give it another name");
            if (binder.FindNode(test, "expect") is null && binder.FindNode(test, "error") is null)
            {
                binder.Report(
                    place,
                    "the case says neither 'expect' nor 'error'",
                    "list the messages under 'expect', [] for none"
                );
            }

            if (
                binder.FindNode(test, "document") is null
                && binder.FindNode(test, "documents") is null or SequenceNode { Items.Count: 0 }
            )
            {
                binder.Report(place, "the case has no document", "add it: document: { id: orders/1, body: { … } }");
            }

            foreach (var document in (test.Documents ?? []).Concat(test.Loaded))
                CheckAttachments(document);
            if (test.Document is { } one)
                CheckAttachments(one);
        }
    }

    private void CheckAttachments(TestDocumentConfiguration document)
    {
        var names = new HashSet<string>(StringComparer.OrdinalIgnoreCase);
        foreach (var attachment in document.Attachments)
        {
            if (attachment.Name.Length > 0 && !names.Add(attachment.Name))
            {
                binder.ReportAt(
                    attachment,
                    "name",
                    $"the attachment '{attachment.Name}' is defined twice",
                    "give it another name"
                );
            }

            if (binder.FindNode(attachment, "text") is null && binder.FindNode(attachment, "base64") is null)
            {
                binder.ReportAt(
                    attachment,
                    "name",
                    $"the attachment '{attachment.Name}' has no content",
                    "add 'text' or 'base64'"
                );
            }

            if (
                attachment.Base64 is { } content
                && !Convert.TryFromBase64String(content, new byte[content.Length], out _)
            )
            {
                binder.ReportAt(attachment, "base64", "the content is not Base64", "text goes under 'text'");
            }
        }
    }

    // Below bodies nothing is ever open: no variables are put into them.
    private IEnumerable<string> Open(ConfigNode node)
    {
        if (binder.Expander.Reasons.TryGetValue(node, out var reason))
            yield return $"{Path.GetFileName(binder.File)}:{node.Line}:{node.Column}: {reason}; '$${{' stands for '${{' itself";
        var below = node switch
        {
            MappingNode mapping => mapping.Entries.Select(e => e.Value),
            SequenceNode sequence => sequence.Items,
            _ => [],
        };
        foreach (var one in below.SelectMany(Open))
            yield return one;
    }
}
