using System.Text.Json;
using Pipeline.Subscriptions;
using Pipeline.Yaml.Binding;
using Pipeline.Yaml.Nodes;

namespace Pipeline.Configuration;

/// <summary>Checks what types alone cannot express about <c>subscriptions</c>.</summary>
internal sealed class SubscriptionCheck(SettingsBinder binder)
{
    /// <summary>Checks names and definitions.</summary>
    public void Check(IReadOnlyList<SubscriptionConfiguration> subscriptions)
    {
        var lines = new Dictionary<string, int>(StringComparer.OrdinalIgnoreCase);
        foreach (var subscription in subscriptions)
        {
            if (
                binder.FindNode(subscription, "name") is not ScalarNode { IsNull: false } name
                || binder.HasFaultAt(name)
            )
            {
                continue;
            }

            binder.CheckUnique(lines, name, "the subscription", subscription.Name);
            try
            {
                subscription.ToDefinition().Validate();
            }
            catch (SubscriptionException e)
            {
                foreach (var fault in e.Faults)
                    Report(subscription, fault);
            }
        }
    }

    private void Report(SubscriptionConfiguration subscription, SubscriptionFault fault)
    {
        var key = JsonNamingPolicy.CamelCase.ConvertName(fault.Part.ToString());
        var node = binder.FindNode(subscription, key);
        if (fault.Line > 0 && node is ScalarNode { IsNull: false } text)
        {
            (var line, var column) = text.Text.Locate(fault.Line, fault.Column);
            binder.Report(line, column, fault.Message, fault.Suggestion);
        }
        else
        {
            binder.ReportAt(
                subscription,
                key,
                $"subscription '{subscription.Name}': {fault.Message}",
                fault.Suggestion
            );
        }
    }
}
